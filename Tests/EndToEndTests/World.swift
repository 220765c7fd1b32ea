import DBus
import DBusTesting
import Foundation
import VirtualBlueZ

/// A virtual BlueZ of a test's own, with levers, and the tools that see it as the system's.
struct World {
    let bus: PrivateBus
    let daemon: VirtualDaemon

    init(_ timing: Timing = Timing(), adapters: Int = 2) async throws {
        bus = try PrivateBus()
        daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: adapters,
            timing: timing
        )
    }

    func tool(_ name: String, _ arguments: String...) throws -> Tool {
        try Tool(name, arguments, bus: bus.address)
    }

    /// A running ball on hci1, once it can be found.
    func ball(_ arguments: String...) async throws -> Tool {
        let ball = try Tool(
            "eightball-answer",
            ["--adapter", "hci1", "--json"] + arguments,
            bus: bus.address
        )
        try await ball.line(with: #""event":"advertising""#)
        return ball
    }

    /// Asks from hci0, and waits for the end.
    func ask(_ arguments: String...) async throws -> Tool.Outcome {
        try await Tool(
            "eightball-ask",
            ["--adapter", "hci0"] + arguments,
            bus: bus.address
        ).end()
    }

    /// A client of the bus that looks on.
    func observer() async throws -> Connection {
        try await .open(BusAddress(bus.address))
    }
}

extension Connection {
    /// A property of org.bluez.
    func property(
        _ name: String,
        of interface: String,
        at path: ObjectPath
    ) async throws -> Value? {
        let call = try Message.methodCall(
            to: "org.bluez",
            at: path,
            "org.freedesktop.DBus.Properties",
            "Get",
            [.string("org.bluez.\(interface)"), .string(name)]
        )
        return try await self.call(call).body().first?.unwrapped
    }

    /// Waits until a property of org.bluez has a value; it is told when it changes.
    func wait(
        for name: String,
        of interface: String,
        at path: ObjectPath,
        toBe isWanted: @escaping @Sendable (Value?) -> Bool
    ) async throws {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        let rule = MatchRule(sender: "org.bluez", path: path)
        let id = try await subscribe(to: rule) { _ in continuation.yield() }
        continuation.yield()
        for await _ in changes
        where isWanted(try await property(name, of: interface, at: path)) { break }
        unsubscribe(id)
    }
}
