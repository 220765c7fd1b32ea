internal import BLEDBus

/// The levers of the daemon itself, and of its time.
extension Lever {
    static let daemon = [
        Lever(world: "Kill", [], "bluetoothd dies, as by SIGKILL") { world, _ in
            try await world.end { await $0.kill() }
        },
        Lever(world: "Stop", [], "it ends in order") { world, _ in
            try await world.end { await $0.stop() }
        },
        Lever(world: "Start", [], "it starts anew, with all adapters on") { world, _ in
            try await world.start()
        },
        Lever("Hang", [], "bluetoothd hangs, as by SIGSTOP") {
            (daemon, _) throws(ErrorReply) in
            guard !daemon.faults.isHanging else { throw .leverFailed("bluetoothd hangs already") }
            daemon.simulateHang()
        },
        Lever("Continue", [], "it goes on") { (daemon, _) throws(ErrorReply) in
            guard daemon.faults.isHanging else { throw .leverFailed("bluetoothd does not hang") }
            daemon.simulateContinuation()
        },
        Lever(
            world: "PassTime",
            [("milliseconds", "u")],
            "time passes on a clock that stands still otherwise"
        ) { world, arguments in
            guard world.hasManualClock else {
                throw ErrorReply.leverFailed("time passes by itself here")
            }
            guard await world.letPass(arguments.milliseconds(0)) else {
                throw ErrorReply.leverFailed("virtual-bluez ends")
            }
        },
    ]
}
