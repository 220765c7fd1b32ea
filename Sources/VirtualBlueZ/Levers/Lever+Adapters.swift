internal import BLEDBus

/// The levers of adapters.
extension Lever {
    static let adapters = [
        Lever("Unplug", adapter, "an adapter is pulled out") {
            (daemon, arguments) throws(ErrorReply) in
            daemon.simulateUnplugging(of: try daemon.plugged(arguments.adapter(0)))
        },
        Lever("Plug", adapter, "an adapter is plugged in") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try arguments.adapter(0)
            try daemon.checkFree(index, as: index)
            daemon.simulatePlugging(of: index)
        },
        Lever(
            "PlugAs",
            adapter + [("number", "u")],
            "an adapter is plugged in under the name of another number, hci5 for 5"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (index, number) = (try arguments.adapter(0), try arguments.adapter(1))
            try daemon.checkFree(index, as: number)
            daemon.simulatePlugging(of: index, as: number)
        },
        Lever("PowerOff", adapter, "an adapter is turned off") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try daemon.plugged(arguments.adapter(0))
            guard daemon.world.isPowered(index) else {
                throw .leverFailed("hci\(index) is off already")
            }
            daemon.simulatePowerOff(of: index)
        },
        Lever("PowerOn", adapter, "an adapter is turned on") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try daemon.plugged(arguments.adapter(0))
            guard !daemon.world.isPowered(index) else {
                throw .leverFailed("hci\(index) is on already")
            }
            guard !daemon.world.blocked.contains(index) else {
                throw .leverFailed("hci\(index) is blocked")
            }
            daemon.simulatePowerOn(of: index)
        },
        Lever("Block", adapter, "an adapter is blocked, as by rfkill") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try arguments.adapter(0)
            guard !daemon.world.blocked.contains(index) else {
                throw .leverFailed("hci\(index) is blocked already")
            }
            daemon.simulateBlock(of: index)
        },
        Lever("Unblock", adapter, "it no longer is, and is turned on") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try arguments.adapter(0)
            guard daemon.world.blocked.contains(index) else {
                throw .leverFailed("hci\(index) is not blocked")
            }
            daemon.simulateUnblock(of: index)
        },
        Lever("Reset", adapter, "an adapter is reset; its peers notice late") {
            (daemon, arguments) throws(ErrorReply) in
            daemon.simulateReset(of: try daemon.plugged(arguments.adapter(0)))
        },
        Lever("Silence", adapter, "an adapter's host replies to nothing any more") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try arguments.adapter(0)
            guard !daemon.faults.unresponsiveHosts.contains(index) else {
                throw .leverFailed("hci\(index) is silent already")
            }
            daemon.simulateSilence(of: index)
        },
        Lever("Speak", adapter, "it does again") { (daemon, arguments) throws(ErrorReply) in
            let index = try arguments.adapter(0)
            guard daemon.faults.unresponsiveHosts.contains(index) else {
                throw .leverFailed("hci\(index) is not silent")
            }
            daemon.simulateSpeech(of: index)
        },
    ]

    private static let adapter: [(String, Signature)] = [("adapter", "u")]
}

extension VirtualDaemon {
    static let adapterNumbers = 0..<128

    /// Checks that an adapter is there.
    func plugged(_ index: Int) throws(ErrorReply) -> Int {
        guard adapters[index] != nil else { throw .leverFailed("hci\(index) is not plugged in") }
        return index
    }

    /// Checks that an adapter can be plugged in under a name.
    fileprivate func checkFree(_ index: Int, as number: Int) throws(ErrorReply) {
        guard adapters[index] == nil else {
            throw .leverFailed("hci\(index) is plugged in already")
        }
        if let other = world.controller(named: number) {
            throw .leverFailed("hci\(number) is the name of adapter \(other)")
        }
    }
}
