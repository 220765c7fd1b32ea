import BLE
import Testing

@testable import MagicEightBall

/// What can happen to an exchange.
enum Step: Sendable {
    case begin, linked, connected(mtu: Int), connectedPrivately, succeeded, read([UInt8])
    case failed(any Error), notified([UInt8], AttributeID), lost, linkEnded, abandoned
    case timedOut(Exchange.Timer)

    /// A value of Answer.
    static func notified(_ value: [UInt8]) -> Step { .notified(value, EightBallService.answer) }

    /// A value of Answer.
    static func notified(_ text: String) -> Step { .notified(Array(text.utf8)) }
}

/// A row of steps, each with the actions that it must cause.
struct Course: Sendable, CustomTestStringConvertible {
    let name: String
    let whenBusy: BusyPolicy
    let steps: [(step: Step, actions: [String])]

    init(
        _ name: String,
        whenBusy: BusyPolicy = .giveUp,
        _ steps: [(Step, [String])]
    ) {
        self.name = name
        self.whenBusy = whenBusy
        self.steps = steps
    }

    var testDescription: String { name }
}

extension Course {
    static let toSubscribing: [(Step, [String])] = [
        (.begin, ["step 7", "connect"]),
        (.connected(mtu: 517), ["timer 2", "step 11", "subscribe"]),
    ]
    /// The link ends while it is subscribed over, and another one is made.
    private static let relinking: [(Step, [String])] = [
        (.failed(gone), ["step 7", "reconnect"]),
        (.connected(mtu: 517), ["timer 2", "step 11", "subscribe"]),
    ]
    private static let toLastSubscribing: [(Step, [String])] =
        toSubscribing + relinking + relinking + relinking
    private static let toLosing: [(Step, [String])] =
        toSubscribing + [
            (.linkEnded, ["cancelRequest"]), (.notified("No."), []), (.lost, []),
            (.failed(CancellationError()), ["step 7", "reconnect"]),
            (.connected(mtu: 517), ["timer 2", "step 11", "subscribe"]),
        ]
    static let toAsking = toSubscribing + [(.succeeded, ["step 12", "write Well?"])]
    static let toAnswering = toAsking + [(.succeeded, ["accepted"])]
    private static let toUnsubscribing =
        toAnswering + [(.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"])]

    static let gone = RadioError(.peerGone, "the link ended")

    static let orders = [
        Course("reply, then answer", toUnsubscribing + [(.succeeded, ["end"])]),
        Course(
            "answer, then reply",
            toAsking + [
                (.notified("Yes."), []), (.succeeded, ["accepted", "step 3"]),
                (.timedOut(.step), ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "another asker's answer, then reply, then ours",
            toAsking + [
                (.notified("No."), []), (.succeeded, ["accepted", "step 3"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "answer, then reply, then no ball",
            toAsking + [
                (.notified("Yes."), []), (.succeeded, ["accepted", "step 3"]),
                (.lost, ["Yes.", "end"]),
            ]
        ),
        Course(
            "another asker's answer, then refusal",
            toAsking + [
                (.notified("Yes."), []),
                (.failed(ATTError(rawValue: 0x90)), refusedAsBusy),
                (.succeeded, ["end"]),
            ]
        ),
        Course(
            "another asker's answer, then ours, then reply",
            toAsking + [
                (.notified("No."), []), (.notified("SLUG-ANSWER-08"), []),
                (.succeeded, ["accepted", "step 3"]),
                (.timedOut(.step), ["Yes.", "timer 2", "unsubscribe"]),
            ]
        ),
        Course(
            "answers before the write and after the end",
            toSubscribing + [
                (.notified("No."), []), (.succeeded, ["step 12", "write Well?"]),
                (.succeeded, ["accepted"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.notified("No."), []),
                (.succeeded, ["end"]), (.notified("No."), []), (.succeeded, []),
                (.timedOut(.step), []),
                (.timedOut(.answer), []), (.timedOut(.question), []),
                (.lost, []), (.abandoned, []), (.failed(gone), []), (.connected(mtu: 23), []),
            ]
        ),
        Course(
            "empty answer",
            toAnswering + [(.notified(""), ["protocolViolation", "timer 2", "unsubscribe"])]
        ),
        Course(
            "answer that is not UTF-8",
            toAnswering + [
                (.notified([0xC3, 0x28]), ["protocolViolation", "timer 2", "unsubscribe"])
            ]
        ),
        Course(
            "empty answer before the reply",
            toAsking + [
                (.notified(""), []), (.succeeded, ["accepted", "step 3"]),
                (.timedOut(.step), ["protocolViolation", "timer 2", "unsubscribe"]),
            ]
        ),
        Course(
            "question too long for the link",
            [
                (.begin, ["step 7", "connect"]),
                (.connected(mtu: 7), ["rejected tooLong", "end"]),
            ]
        ),
    ]

    private static let refusedAsBusy = ["rejected deviceBusy", "timer 2", "unsubscribe"]

    static let failures = [
        Course(
            "no service any more, when asked",
            toAsking + [
                (.failed(ATTError.invalidHandle), ["deviceOffline", "disconnect", "end"]),
                (.lost, []), (.timedOut(.question), []),
            ]
        ),
        Course(
            "another service by now, when subscribing",
            toSubscribing + [
                (.failed(ATTError.databaseOutOfSync), ["deviceOffline", "disconnect", "end"])
            ]
        ),
        Course(
            "no service any more, after the answer",
            toUnsubscribing + [(.failed(ATTError.invalidHandle), ["end"])]
        ),
        Course("no link", [toSubscribing[0], (.failed(gone), ["deviceOffline", "end"])]),
        Course(
            "the end of somebody's link",
            toSubscribing + [
                (.failed(gone), ["step 7", "reconnect"]),
                (.connected(mtu: 517), ["timer 2", "step 11", "subscribe"]),
                (.succeeded, ["step 12", "write Well?"]), (.succeeded, ["accepted"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "the end of somebody's link, told before the request fails",
            toLosing + relinking + relinking + [
                (.linkEnded, lostInRequest), (.failed(gone), ["end"]),
            ]
        ),
        Course(
            "the end of somebody's link, and the subscription succeeded",
            toSubscribing + [
                (.linkEnded, ["cancelRequest"]), (.succeeded, ["step 7", "reconnect"]),
            ]
        ),
        Course(
            "taken back at the end of somebody's link",
            toSubscribing + [
                (.linkEnded, ["cancelRequest"]),
                (.abandoned, ["cancelled", "timer 2", "cancelRequest"]),
                (.succeeded, ["end"]),
            ]
        ),
        Course(
            "too late at the end of somebody's link",
            toSubscribing + [
                (.linkEnded, ["cancelRequest"]), (.timedOut(.answer), []),
                (.timedOut(.step), late("subscribing")), (.failed(gone), ["end"]),
            ]
        ),
        Course("the link ends with the question asked", toAsking + [(.linkEnded, lostInRequest)]),
        Course(
            "no subscription, on three further links either",
            toLastSubscribing + [
                (.failed(gone), ["deviceOffline", "end"])
            ]
        ),
        Course(
            "subscription refused",
            toSubscribing + [
                (.failed(ATTError.unlikelyError), ["rejected peripheralError", "end"])
            ]
        ),
        Course(
            "question refused",
            toAsking + [
                (
                    .failed(ATTError.unlikelyError),
                    ["rejected questionPlease", "timer 2", "unsubscribe"]
                ), (.failed(gone), ["end"]),
            ]
        ),
        Course(
            "lost while subscribing",
            toSubscribing + [(.lost, lostInRequest), (.failed(gone), ["end"])]
        ),
        Course(
            "lost while asking",
            toAsking + [(.lost, lostInRequest), (.failed(gone), ["end"])]
        ),
        Course("lost while answering", toAnswering + [(.lost, ["deviceOffline", "end"])]),
        Course(
            "lost while unsubscribing",
            toUnsubscribing + [(.lost, ["cancelRequest"]), (.failed(gone), ["end"])]
        ),
        Course("lost before", [(.lost, [])]),
    ]

    private static let lostInRequest = ["deviceOffline", "timer 2", "cancelRequest"]

    static let limits = [
        Course(
            "connecting",
            [toSubscribing[0], (.timedOut(.step), late("connecting")), (.failed(gone), ["end"])]
        ),
        Course(
            "connecting, with a link all the same",
            [
                toSubscribing[0], (.timedOut(.step), late("connecting")),
                (.connected(mtu: 517), ["end"]),
            ]
        ),
        Course(
            "subscribing",
            toSubscribing + [
                (.timedOut(.step), late("subscribing")),
                (.failed(CancellationError()), ["unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "asking",
            toAsking + [
                (.timedOut(.step), late("asking")), (.succeeded, ["unsubscribe"]),
                (.succeeded, ["end"]),
            ]
        ),
        Course(
            "answering",
            toAnswering + [
                (.timedOut(.answer), ["timedOut answering", "timer 2", "unsubscribe"]),
                (.notified("Yes."), []), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "unsubscribing",
            toUnsubscribing + [
                (.timedOut(.step), []),
                (.timedOut(.question), []),
                (.timedOut(.answer), ["cancelRequest", "disconnect", "end"]), (.failed(gone), []),
            ]
        ),
        Course(
            "giving up",
            toAsking + [
                (.timedOut(.step), late("asking")),
                (.timedOut(.step), []),
                (.timedOut(.question), []),
                (.timedOut(.answer), ["cancelRequest", "disconnect", "end"]), (.succeeded, []),
            ]
        ),
        Course(
            "taken back while asking",
            toAsking + [
                (.abandoned, ["cancelled", "timer 2", "cancelRequest"]), (.abandoned, []),
                (.failed(CancellationError()), ["unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "taken back while answering, answered after all",
            toAnswering + [
                (.abandoned, ["cancelled"]), (.abandoned, []), (.timedOut(.question), []),
                (.notified("Yes."), ["timer 2", "unsubscribe"]), (.notified("No."), []),
                (.succeeded, ["end"]),
            ]
        ),
        Course(
            "taken back while answering, never answered",
            toAnswering + [
                (.abandoned, ["cancelled"]), (.timedOut(.answer), ["timer 2", "unsubscribe"]),
                (.succeeded, ["end"]),
            ]
        ),
        Course(
            "taken back while answering, and the link ends",
            toAnswering + [(.abandoned, ["cancelled"]), (.lost, ["end"]), (.timedOut(.answer), [])]
        ),
        Course("taken back before", [(.abandoned, ["cancelled", "end"])]),
        Course(
            "resolving",
            [
                toSubscribing[0], (.linked, ["step 8"]), (.linked, []),
                (.timedOut(.step), late("resolving")), (.failed(CancellationError()), ["end"]),
            ]
        ),
        Course(
            "connecting, and the connection does not end",
            [
                toSubscribing[0], (.timedOut(.step), late("connecting")),
                (.timedOut(.answer), ["cancelRequest", "end"]), (.connected(mtu: 517), []),
            ]
        ),
        Course(
            "all after the link, while subscribing",
            toSubscribing + [(.timedOut(.answer), late("subscribing"))]
        ),
        Course(
            "all after the link, while asking",
            toAsking + [(.timedOut(.answer), late("asking"))]
        ),
        Course(
            "the whole question, while resolving",
            [
                toSubscribing[0], (.linked, ["step 8"]),
                (.timedOut(.question), late("resolving")), (.timedOut(.question), []),
            ]
        ),
        Course(
            "the whole question, while asking",
            toAsking + [(.timedOut(.question), late("asking"))]
        ),
        Course(
            "the whole question, while answering",
            toAnswering + [
                (.timedOut(.step), []),
                (.timedOut(.question), ["timedOut answering", "timer 2", "unsubscribe"]),
            ]
        ),
    ]

    static func late(_ stage: String) -> [String] {
        ["timedOut \(stage)", "timer 2", "cancelRequest"]
    }
}
