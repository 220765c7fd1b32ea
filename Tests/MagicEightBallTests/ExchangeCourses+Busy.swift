import BLE

@testable import MagicEightBall

extension Course {
    private static let retrying = BusyPolicy.retry(pause: .seconds(5))
    private static let refused: (Step, [String]) = (.failed(ATTError(rawValue: 0x90)), ["pause 5"])
    private static let busyAtLast = ["rejected deviceBusy", "timer 2", "unsubscribe"]

    static let busy = [
        Course(
            "busy, then accepted",
            whenBusy: retrying,
            toAsking + [
                refused, (.notified("No."), []), (.timedOut(.step), ["step 12", "write Well?"]),
                refused, (.timedOut(.step), ["step 12", "write Well?"]), (.succeeded, ["accepted"]),
                (.notified("Yes."), ["Yes.", "timer 2", "unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "busy until the time after the link is over",
            whenBusy: retrying,
            toAsking + [refused, (.timedOut(.answer), busyAtLast), (.succeeded, ["end"])]
        ),
        Course(
            "busy until the time of the question is over",
            whenBusy: retrying,
            toAsking + [refused, (.timedOut(.question), busyAtLast)]
        ),
        Course(
            "busy, and the time is over when it is asked again",
            whenBusy: retrying,
            toAsking + [
                refused, (.timedOut(.step), ["step 12", "write Well?"]),
                (.timedOut(.answer), ["rejected deviceBusy", "timer 2", "cancelRequest"]),
                (.failed(CancellationError()), ["unsubscribe"]), (.succeeded, ["end"]),
            ]
        ),
        Course(
            "taken back while the ball is busy",
            whenBusy: retrying,
            toAsking + [refused, (.abandoned, ["cancelled", "timer 2", "unsubscribe"])]
        ),
        Course(
            "lost while the ball is busy",
            whenBusy: retrying,
            toAsking + [refused, (.lost, ["deviceOffline", "end"])]
        ),
        Course(
            "another refusal is not retried",
            whenBusy: retrying,
            toAsking + [
                (
                    .failed(ATTError(rawValue: 0x96)),
                    ["rejected tooManyQuestions", "timer 2", "unsubscribe"]
                )
            ]
        ),
        Course(
            "a private ball that is busy, then not",
            whenBusy: retrying,
            toPrivateAsking + [
                refused, (ready, []), (.timedOut(.step), ["step 12", "ask privately Well?"]),
                (.succeeded, ["accepted", "timer 14"]), (ready, ["read"]), (yes, ["Yes.", "end"]),
            ]
        ),
        Course(
            "a private ball that stays busy",
            whenBusy: retrying,
            toPrivateAsking + [
                refused, (.timedOut(.answer), ["rejected deviceBusy", "end"]), (.abandoned, []),
            ]
        ),
        Course(
            "a private ball that is busy, and the time is over when it is asked again",
            whenBusy: retrying,
            toPrivateAsking + [
                refused, (.timedOut(.step), ["step 12", "ask privately Well?"]),
                (.timedOut(.question), ["rejected deviceBusy", "timer 2", "cancelRequest"]),
                (.failed(CancellationError()), ["end"]),
            ]
        ),
        Course(
            "a private ball that is lost while busy",
            whenBusy: retrying,
            toPrivateAsking + [refused, (.lost, ["deviceOffline", "end"])]
        ),
    ]
}
