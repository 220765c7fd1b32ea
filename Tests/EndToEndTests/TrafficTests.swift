import Foundation
import Testing

/// What one question costs on the bus, seen by `dbus-monitor`.
@Suite("The traffic of one question", .timeLimit(.oneCheck))
struct TrafficTests {
    /// The calls that BlueZ needs from who asks: to hear a ball, to link, to ask.
    private static let fewest = [
        "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "StartNotify",
        "WriteValue", "ReadValue", "StopNotify", "Disconnect",
    ]

    @Test func `is what BlueZ needs, and what an object tree needs to be known`() async throws {
        try await check { world in
            let ball = try await world.ball()
            let monitor = try await BusMonitor(world.bus)
            #expect(try await world.ask("Will it rain?").status == 0)
            try await monitor.message("Disconnect")
            await ball.interrupt()
            let lines = await monitor.end()
            let asker = try #require(lines.first { $0.member == "StartDiscovery" }?.sender)
            let calls = lines.filter { $0.kind == "mc" && $0.sender == asker }.map(\.member)
            let setUp = calls.filter { !Self.fewest.contains($0) }
            let sent = lines.filter { $0.sender == asker }.count
            let received = lines.filter { $0.destination == asker }.count
            print("traffic | calls that BlueZ needs | \(Self.fewest.count) | \(Self.fewest)")
            print("traffic | calls to learn bus and tree | \(setUp.count) | \(setUp)")
            print("traffic | messages of the asker's own | \(sent) sent, \(received) received")
            #expect(calls.filter(Self.fewest.contains) == Self.fewest)
            #expect(setUp.count <= 8)
        }
    }
}
