internal import BLEDBus

/// The levers of calls of the daemon's methods.
extension Lever {
    static let calls = [
        Lever(
            "FailCall",
            [("method", "s"), ("error", "s"), ("text", "s"), ("times", "u")],
            "calls of a method (org.bluez.Device1.Connect) fail with an error, 0 times for all"
        ) { (daemon, arguments) throws(ErrorReply) in
            let name = try arguments.errorName(1)
            let fault = CallFault.failure(name, arguments.text(2))
            try set(fault, on: daemon, arguments, times: 3)
        },
        Lever("RefuseCall", method + times, "they fail with InProgress, in BlueZ's words") {
            (daemon, arguments) throws(ErrorReply) in
            try set(.inProgress, on: daemon, arguments, times: 1)
        },
        Lever("DelayCall", method + delay + times, "they are handled late") {
            (daemon, arguments) throws(ErrorReply) in
            let fault = CallFault.late(by: arguments.milliseconds(1))
            try set(fault, on: daemon, arguments, times: 2)
        },
        Lever("DelayReply", method + delay + times, "they are replied to late") {
            (daemon, arguments) throws(ErrorReply) in
            let fault = CallFault.lateReply(by: arguments.milliseconds(1))
            try set(fault, on: daemon, arguments, times: 2)
        },
        Lever(
            "ReplyAfterNotification",
            method + times,
            "they are replied to after the characteristic's next notification"
        ) { (daemon, arguments) throws(ErrorReply) in
            try set(.replyAfterNotification, on: daemon, arguments, times: 1)
        },
        Lever("IgnoreCall", method + times, "they do nothing and get no reply") {
            (daemon, arguments) throws(ErrorReply) in
            try set(.ignored, on: daemon, arguments, times: 1)
        },
        Lever("LoseReply", method + times, "they do what they should, and get no reply") {
            (daemon, arguments) throws(ErrorReply) in
            try set(.lostReply, on: daemon, arguments, times: 1)
        },
        Lever("CrashOnCall", method, "the daemon dies when the next one comes, without a reply") {
            (daemon, arguments) throws(ErrorReply) in
            try daemon.simulateCallFault(.crash, on: arguments.method(0))
        },
        Lever("ClearCallFaults", [], "calls are as they should be again") { daemon, _ in
            daemon.removeCallFaults()
        },
    ]

    private static let method: [(String, Signature)] = [("method", "s")]
    private static let delay: [(String, Signature)] = [("milliseconds", "u")]
    private static let times: [(String, Signature)] = [("times", "u")]

    private static func set(
        _ fault: CallFault,
        on daemon: isolated VirtualDaemon,
        _ arguments: LeverArguments,
        times index: Int
    ) throws(ErrorReply) {
        let method = try arguments.method(0)
        daemon.simulateCallFault(fault, on: method, times: arguments.times(index))
    }
}
