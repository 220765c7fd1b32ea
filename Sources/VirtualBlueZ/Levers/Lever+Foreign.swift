internal import BLEDBus

/// The levers of a foreign program on the bus.
extension Lever {
    static let foreign = [
        Lever(world: "ForeignStartDiscovery", adapter, "a foreign program scans") {
            try await $0.foreignClient().startDiscovery(with: $1.adapter(0))
        },
        Lever(world: "ForeignStopDiscovery", adapter, "it no longer does") {
            try await $0.foreignClient().stopDiscovery(with: $1.adapter(0))
        },
        Lever(world: "ForeignConnect", pair, "it connects") {
            let (adapter, other) = try $1.pair()
            try await $0.foreignClient().connect(to: other, with: adapter)
        },
        Lever(world: "ForeignDisconnect", pair, "it disconnects") {
            let (adapter, other) = try $1.pair()
            try await $0.foreignClient().disconnect(from: other, with: adapter)
        },
        Lever(world: "ForeignRead", characteristic, "it reads a characteristic of the other") {
            let (uuid, other, adapter) = try $1.characteristic()
            _ = try await $0.foreignClient().read(uuid, of: other, with: adapter)
        },
        Lever(world: "ForeignStartNotify", characteristic, "it subscribes to one") {
            let (uuid, other, adapter) = try $1.characteristic()
            try await $0.foreignClient().startNotify(uuid, of: other, with: adapter)
        },
        Lever(world: "ForeignStopNotify", characteristic, "it unsubscribes, or ends a socket") {
            let (uuid, other, adapter) = try $1.characteristic()
            try await $0.foreignClient().stopNotify(uuid, of: other, with: adapter)
        },
        Lever(world: "ForeignAcquireNotify", characteristic, "it takes one's notifications") {
            let (uuid, other, adapter) = try $1.characteristic()
            try await $0.foreignClient().acquireNotify(uuid, of: other, with: adapter)
        },
        Lever(world: "ForeignAcquireWrite", characteristic, "it takes one's writes") {
            let (uuid, other, adapter) = try $1.characteristic()
            try await $0.foreignClient().acquireWrite(uuid, of: other, with: adapter)
        },
        Lever(world: "ForeignAdvertise", adapter + [("count", "u")], "it advertises so often") {
            let adapter = try $1.adapter(0)
            try await $0.foreignClient().advertise(try $1.count(1), with: adapter)
        },
        Lever(world: "ForeignLeave", [], "it leaves the bus") { world, _ in
            try await world.endForeignClient()
        },
    ]

    private static let adapter: [(String, Signature)] = [("adapter", "u")]
    private static let characteristic = pair + [("uuid", "s")]
}

extension LeverArguments {
    fileprivate func characteristic() throws(ErrorReply) -> (uuid: String, Int, Int) {
        let (adapter, other) = try pair()
        return (try uuid(2), other, adapter)
    }
}
