import BLE

@testable import MagicEightBall

extension Course {
    static let tag = QuestionTag(0x0102_0304_0506_0708)
    private static let foreign = QuestionTag(0x0102_0304_0506_0709)

    static let ready = Step.told(.ready(tag))
    static let yes = Step.read(Reply.outcome(tag, .answered(Array("SLUG-ANSWER-08".utf8))).bytes)

    private static let foreignReply = Step.read(Reply.outcome(foreign, .answered([0x21])).bytes)

    private static let toPrivateSubscribing: [(Step, [String])] = [
        (.begin, ["step 7", "connect"]),
        (.connectedPrivately, ["timer 2", "step 11", "subscribe to replies"]),
    ]
    static let toPrivateAsking =
        toPrivateSubscribing + [(.succeeded, ["step 12", "ask privately Well?"])]
    private static let toPrivateAnswering =
        toPrivateAsking + [(.succeeded, ["accepted", "timer 14"])]
    private static let toReading = toPrivateAnswering + [(ready, ["read"])]

    static let privateOrders = [
        Course("accepted, ready, read", toReading + [(yes, ["Yes.", "end"])]),
        Course(
            "ready before accepted",
            toPrivateAsking + [
                (ready, []), (.succeeded, ["accepted", "timer 14", "read"]),
                (yes, ["Yes.", "end"]),
            ]
        ),
        Course(
            "others' replies, other kinds, the plain pair",
            toPrivateAnswering + [
                (.told(.ready(foreign)), []), (.told(.outcome(foreign, .answered([0x21]))), []),
                (.notified([0x03] + tag.bytes, EightBallService.reply), []),
                (.notified([], EightBallService.reply), []),
                (.notified(Reply.ready(tag).bytes, EightBallService.answer), []),
                (.notified("No."), []), (ready, ["read"]), (yes, ["Yes.", "end"]),
            ]
        ),
        Course(
            "a read that gives nothing, then ready again",
            toReading + [(.read([]), []), (ready, ["read"]), (yes, ["Yes.", "end"])]
        ),
        Course(
            "ready again while a read gives another's reply",
            toReading + [
                (ready, []),
                (.read(Reply.outcome(foreign, .answered([0x21])).bytes), ["read"]),
                (yes, ["Yes.", "end"]),
            ]
        ),
        Course(
            "reads that give the replies to other programs of this host, then its own",
            toReading + [
                (foreignReply, ["read"]), (foreignReply, ["read"]), (yes, ["Yes.", "end"]),
            ]
        ),
        Course(
            "a reply to another program, then nothing to read",
            toReading + [
                (foreignReply, ["read"]), (.read([]), []), (ready, ["read"]),
                (yes, ["Yes.", "end"]),
            ]
        ),
        Course(
            "as many replies to other programs as a ball keeps, then ready again",
            toReading
                + Array(
                    repeating: (foreignReply, ["read"]),
                    count: PrivateRound.maximumReadCount - 1
                )
                + [(foreignReply, []), (ready, ["read"]), (yes, ["Yes.", "end"])]
        ),
        Course(
            "another program's read, shown before the write was confirmed",
            toPrivateAsking + [
                (.told(.outcome(tag, .answered([0x21]))), []),
                (.succeeded, ["accepted", "timer 14", "!", "end"]),
            ]
        ),
        Course(
            "another program's read, shown while waiting",
            toPrivateAnswering + [
                (.told(.outcome(tag, .answered([0x21]))), ["!", "end"]), (ready, []),
            ]
        ),
        Course(
            "another program's read, shown during a read that gives a foreign reply",
            toReading + [
                (.told(.outcome(tag, .answered([0x21]))), []), (foreignReply, ["!", "end"]),
            ]
        ),
        Course(
            "another program's read, shown during a read at whose time-out",
            toReading + [
                (.told(.outcome(tag, .answered([0x21]))), []),
                (.timedOut(.answer), ["!", "timer 2", "cancelRequest"]), (yes, ["end"]),
            ]
        ),
        Course(
            "another program's read, shown during a read that fails",
            toReading + [
                (.told(.outcome(tag, .rejected(.refused))), []),
                (.failed(gone), ["rejected refused", "end"]),
            ]
        ),
        Course(
            "a late refusal",
            toReading + [
                (
                    .read(Reply.outcome(tag, .rejected(.refused.saying("No."))).bytes),
                    ["rejected refused No.", "end"]
                )
            ]
        ),
        Course(
            "an empty answer",
            toReading + [
                (.read(Reply.outcome(tag, .answered([])).bytes), ["protocolViolation", "end"])
            ]
        ),
        Course(
            "an answer that is not UTF-8",
            toReading + [
                (.read(Reply.outcome(tag, .answered([0xFF])).bytes), ["protocolViolation", "end"])
            ]
        ),
        Course(
            "what comes after the end",
            toReading + [
                (yes, ["Yes.", "end"]), (ready, []), (yes, []), (.succeeded, []), (.lost, []),
                (.abandoned, []), (.failed(gone), []), (.timedOut(.step), []),
                (.timedOut(.answer), []), (.timedOut(.question), []),
            ]
        ),
    ]

    private static let lostInRequest = ["deviceOffline", "timer 2", "cancelRequest"]

    static let privateFailures = [
        Course(
            "the end of somebody's link",
            toPrivateSubscribing + [
                (.failed(gone), ["step 7", "reconnect"]),
                (.connected(mtu: 517), ["timer 2", "step 11", "subscribe"]),
            ]
        ),
        Course(
            "subscription refused",
            toPrivateSubscribing + [
                (.failed(ATTError.unlikelyError), ["rejected peripheralError", "end"])
            ]
        ),
        Course(
            "refused as busy",
            toPrivateAsking + [(.failed(ATTError(rawValue: 0x90)), ["rejected deviceBusy", "end"])]
        ),
        Course(
            "refused as no question",
            toPrivateAsking + [
                (.failed(ATTError(rawValue: 0x91)), ["rejected questionPlease", "end"])
            ]
        ),
        Course(
            "0x0E is no missing question mark here",
            toPrivateAsking + [
                (.failed(ATTError.unlikelyError), ["rejected peripheralError", "end"])
            ]
        ),
        Course(
            "a read that is refused",
            toReading + [(.failed(ATTError(rawValue: 0x95)), ["rejected peripheralError", "end"])]
        ),
        Course(
            "lost while subscribing",
            toPrivateSubscribing + [(.lost, lostInRequest), (.failed(gone), ["end"])]
        ),
        Course(
            "lost while asking",
            toPrivateAsking + [
                (.lost, lostInRequest), (.lost, ["cancelRequest"]), (.failed(gone), ["end"]),
            ]
        ),
        Course("lost while answering", toPrivateAnswering + [(.lost, ["deviceOffline", "end"])]),
        Course(
            "lost while reading",
            toReading + [(.lost, lostInRequest), (.failed(gone), ["end"])]
        ),
    ]

    static let privateLimits = [
        Course(
            "subscribing",
            toPrivateSubscribing + [(.timedOut(.step), late("subscribing")), (.succeeded, ["end"])]
        ),
        Course(
            "asking",
            toPrivateAsking + [(.timedOut(.step), late("asking")), (.succeeded, ["end"])]
        ),
        Course(
            "all until the ball accepts",
            toPrivateAsking + [(.timedOut(.answer), late("asking")), (.succeeded, ["end"])]
        ),
        Course(
            "answering",
            toPrivateAnswering + [
                (.timedOut(.step), []), (.timedOut(.answer), ["timedOut answering", "end"]),
                (ready, []),
            ]
        ),
        Course(
            "reading",
            toReading + [
                (.timedOut(.step), []), (.timedOut(.answer), late("answering")), (yes, ["end"]),
            ]
        ),
        Course(
            "the whole question",
            toPrivateAnswering + [(.timedOut(.question), ["timedOut answering", "end"])]
        ),
        Course(
            "giving up",
            toPrivateAsking + [
                (.timedOut(.question), late("asking")), (.timedOut(.step), []),
                (.timedOut(.answer), ["cancelRequest", "disconnect", "end"]), (.succeeded, []),
            ]
        ),
        Course(
            "taken back while asking",
            toPrivateAsking + [
                (.abandoned, ["cancelled", "timer 2", "cancelRequest"]), (.abandoned, []),
                (ready, []), (.failed(CancellationError()), ["end"]),
            ]
        ),
        Course(
            "taken back while answering",
            toPrivateAnswering + [(.abandoned, ["cancelled", "end"])]
        ),
    ]
}

extension Step {
    /// A value of Reply.
    fileprivate static func told(_ reply: Reply) -> Step {
        .notified(reply.bytes, EightBallService.reply)
    }
}
