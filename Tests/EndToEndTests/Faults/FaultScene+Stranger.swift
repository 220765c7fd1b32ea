import BLEDBus
import Foundation
import Testing

// What another program on the bus does.
extension FaultScene {
    static let hci0: ObjectPath = "/org/bluez/hci0"
    static let hci1: ObjectPath = "/org/bluez/hci1"

    /// Calls org.bluez as another program.
    @discardableResult
    func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: Value...
    ) async throws -> [Value] {
        try await stranger.call(path, interface, member, body)
    }

    /// Calls org.bluez, which has to refuse.
    func expectRefusal(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: Value...
    ) async throws {
        do {
            try await stranger.call(path, interface, member, body)
            Issue.record("\(member) should be refused")
        } catch is ErrorReply {
            return
        }
    }

    /// The asker's object of one of the ball's characteristics.
    func characteristic(_ uuid: String) async throws -> ObjectPath {
        let device = try world.device(1).rawValue + "/"
        for path in try await stranger.objects(with: "GattCharacteristic1")
        where path.rawValue.hasPrefix(device) {
            let found = try await stranger.property("UUID", of: "GattCharacteristic1", at: path)
            if found?.string == uuid { return path }
        }
        throw ErrorReply(.unknownObject, "the ball has no characteristic \(uuid)")
    }

    /// Removes the other adapter's device.
    func removeDevice(_ peer: Int, of adapter: Int) async throws {
        let device = try world.device(peer, of: adapter)
        try await call(
            ObjectPath("/org/bluez/hci\(adapter)"),
            "Adapter1",
            "RemoveDevice",
            .objectPath(device)
        )
    }

    /// Ends a discovery that was begun here, or begins bluetoothd anew if that has died of it.
    func endDiscovery() async throws {
        if try await world.reviveDaemon() {
            note("bluetoothd had died")
        } else {
            try await call(Self.hci0, "Adapter1", "StopDiscovery")
        }
    }

    /// Takes all places for advertisements that are left on hci1.
    ///
    /// - Returns: how many.
    func takeAdvertisements() async throws -> Int {
        for number in 0..<64 {
            do {
                try await advertise(at: ObjectPath("/stranger/advertisement\(number)"))
            } catch let error as ErrorReply {
                #expect(error.name.rawValue == "org.bluez.Error.NotPermitted")
                return number
            }
        }
        return 64
    }

    private func advertise(at path: ObjectPath) async throws {
        let advertisement = ExportedInterface(
            "org.bluez.LEAdvertisement1",
            methods: [.init("Release") { $0.reply() }],
            values: ["Type": .string("peripheral")]
        )
        await stranger.exportObjectManager(at: path)
        try await stranger.export([advertisement], at: path)
        try await call(
            Self.hci1,
            "LEAdvertisingManager1",
            "RegisterAdvertisement",
            .objectPath(path),
            .properties([:])
        )
    }

    /// Begins bluetoothd anew if it keeps an advertisement whose program has died.
    ///
    /// bluetoothd does so, for ever, when the program dies while the advertisement is being registered.
    func removeDeadAdvertisement() async throws {
        // Registered after the dead program's: what becomes of that is decided then.
        let path: ObjectPath = "/stranger/later"
        try await advertise(at: path)
        try await call(
            Self.hci1,
            "LEAdvertisingManager1",
            "UnregisterAdvertisement",
            .objectPath(path)
        )
        do {
            try await stranger.wait(
                for: "ActiveInstances",
                of: "LEAdvertisingManager1",
                at: Self.hci1,
                within: .seconds(2 * WorldKind.current.slowness)
            ) { $0?.integer == 1 }
        } catch is NeverCame {
            note("bluetoothd kept the dead program's advertisement, and was restarted")
            try await world.killDaemon()
            try await world.startDaemon()
        }
    }

    /// Starts an asker on hci2, and kills it when it has sent a call of a method.
    func killAsker(after method: String) async throws {
        let monitor = try await BusMonitor(world.bus)
        let options = ["--adapter", "hci2", "--timeout", world.seconds(10)]
        let tool = try Tool("eightball-ask", options + ["\(slowly) hci2?"], bus: world.bus.rawValue)
        try await monitor.message(method)
        tool.send(SIGKILL)
        await tool.end()
        _ = await monitor.end()
    }
}
