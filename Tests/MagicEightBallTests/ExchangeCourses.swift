import BLE
import Testing

@testable import MagicEightBall

/// What can happen to an exchange.
enum Step: Sendable {
    case begin, connected(mtu: Int), succeeded, failed(any Error)
    case notified([UInt8]), lost, abandoned, timedOut

    static func notified(_ text: String) -> Step { .notified(Array(text.utf8)) }
}

/// A row of steps, each with the actions that it must cause.
struct Course: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [(step: Step, actions: [String])]

    init(_ name: String, _ steps: [(Step, [String])]) {
        self.name = name
        self.steps = steps
    }

    var testDescription: String { name }
}

extension Course {
    private static let toSubscribing: [(Step, [String])] = [
        (.begin, ["timer 7", "connect"]),
        (.connected(mtu: 517), ["timer 2", "subscribe"]),
    ]
    private static let toAsking = toSubscribing + [(.succeeded, ["write Well?"])]
    private static let toAnswering = toAsking + [(.succeeded, ["accepted"])]
    private static let toUnsubscribing =
        toAnswering + [(.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"])]

    private static let gone = RadioError(.peerGone, "the link ended")

    static let orders = [
        Course("reply, then answer", toUnsubscribing + [(.succeeded, ["end"])]),
        Course(
            "answer, then reply",
            toAsking + [
                (.notified("Yes."), []), (.succeeded, ["accepted", "timer 3"]),
                (.timedOut, ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "another asker's answer, then reply, then ours",
            toAsking + [
                (.notified("No."), []), (.succeeded, ["accepted", "timer 3"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "answer, then reply, then no ball",
            toAsking + [
                (.notified("Yes."), []), (.succeeded, ["accepted", "timer 3"]),
                (.lost, ["Yes.", "end"]),
            ]
        ),
        Course(
            "another asker's answer, then refusal",
            toAsking + [
                (.notified("Yes."), []),
                (.failed(ATTError(rawValue: 0x90)), busy),
                (.succeeded, ["end"]),
            ]
        ),
        Course(
            "another asker's answer, then ours, then reply",
            toAsking + [
                (.notified("No."), []), (.notified("SLUG-ANSWER-08"), []),
                (.succeeded, ["accepted", "timer 3"]),
                (.timedOut, ["Yes.", "timer 2", "unsubscribe"]),
            ]
        ),
        Course(
            "answers before the write and after the end",
            toSubscribing + [
                (.notified("No."), []), (.succeeded, ["write Well?"]), (.succeeded, ["accepted"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.notified("No."), []),
                (.succeeded, ["end"]), (.notified("No."), []), (.succeeded, []), (.timedOut, []),
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
                (.notified(""), []), (.succeeded, ["accepted", "timer 3"]),
                (.timedOut, ["protocolViolation", "timer 2", "unsubscribe"]),
            ]
        ),
        Course(
            "question too long for the link",
            [
                (.begin, ["timer 7", "connect"]),
                (.connected(mtu: 7), ["rejected tooLong", "end"]),
            ]
        ),
    ]

    private static let busy = ["rejected deviceBusy", "timer 2", "unsubscribe"]

    static let failures = [
        Course("no link", [toSubscribing[0], (.failed(gone), ["deviceOffline", "end"])]),
        Course(
            "the end of somebody's link",
            toSubscribing + [
                (.failed(gone), ["timer 7", "reconnect"]),
                (.connected(mtu: 517), ["timer 2", "subscribe"]),
                (.succeeded, ["write Well?"]), (.succeeded, ["accepted"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "no subscription, on a second link either",
            toSubscribing + [
                (.failed(gone), ["timer 7", "reconnect"]),
                (.connected(mtu: 517), ["timer 2", "subscribe"]),
                (.failed(gone), ["deviceOffline", "end"]),
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
            [toSubscribing[0], (.timedOut, late("connecting")), (.failed(gone), ["end"])]
        ),
        Course(
            "connecting, with a link all the same",
            [
                toSubscribing[0], (.timedOut, late("connecting")),
                (.connected(mtu: 517), ["end"]),
            ]
        ),
        Course(
            "subscribing",
            toSubscribing + [
                (.timedOut, late("subscribing")),
                (.failed(CancellationError()), ["unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "asking",
            toAsking + [
                (.timedOut, late("asking")), (.succeeded, ["unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "answering",
            toAnswering + [
                (.timedOut, ["timedOut answering", "timer 2", "unsubscribe"]),
                (.notified("Yes."), []), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "unsubscribing",
            toUnsubscribing + [
                (.timedOut, ["cancelRequest", "disconnect", "end"]), (.failed(gone), []),
            ]
        ),
        Course(
            "giving up",
            toAsking + [
                (.timedOut, late("asking")),
                (.timedOut, ["cancelRequest", "disconnect", "end"]), (.succeeded, []),
            ]
        ),
        Course(
            "taken back while asking",
            toAsking + [
                (.abandoned, ["cancelled", "timer 2", "cancelRequest"]), (.abandoned, []),
                (.failed(CancellationError()), ["unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course("taken back before", [(.abandoned, ["cancelled", "end"])]),
    ]

    private static func late(_ stage: String) -> [String] {
        ["timedOut \(stage)", "timer 2", "cancelRequest"]
    }
}
