import DBusTesting
import Foundation
import Testing

/// What one question costs on the bus, seen by `dbus-monitor`.
@Suite("The traffic of one question", .timeLimit(.minutes(1)))
struct TrafficTests {
    /// A line of `dbus-monitor --profile`.
    private struct Line {
        let kind: String
        let sender: String
        let destination: String
        let member: String

        /// `type timestamp serial sender destination path interface member`, tabs between.
        init?(_ text: String) {
            let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
            guard fields.count >= 5 else { return nil }
            kind = String(fields[0])
            sender = String(fields[3])
            destination = String(fields[4])
            member = fields.count > 7 ? String(fields[7]) : ""
        }
    }

    /// The calls that BlueZ needs from who asks: to hear a ball, to link, to ask.
    private static let fewest = [
        "SetDiscoveryFilter", "StartDiscovery", "StopDiscovery", "Connect", "StartNotify",
        "WriteValue", "ReadValue", "StopNotify", "Disconnect",
    ]

    @Test func `is what BlueZ needs, and what an object tree needs to be known`() async throws {
        let world = try await World()
        let ball = try await world.ball()
        let monitor = try Tool(
            URL(fileURLWithPath: "/usr/bin/dbus-monitor"),
            ["--address", world.bus.address, "--profile"],
            bus: nil
        )
        try await monitor.line(with: "NameAcquired")
        #expect(try await world.ask("Will it rain?").status == 0)
        try await monitor.line(with: "\tDisconnect")
        ball.send(SIGINT)
        _ = await ball.end()
        monitor.send(SIGTERM)
        let lines = await monitor.end().lines.compactMap(Line.init)
        let asker = try #require(lines.first { $0.member == "StartDiscovery" }?.sender)
        let calls = lines.filter { $0.kind == "mc" && $0.sender == asker }.map(\.member)
        let setUp = calls.filter { !Self.fewest.contains($0) }
        let sent = lines.filter { $0.sender == asker }
        let received = lines.filter { $0.destination == asker }
        print("traffic | calls that BlueZ needs | \(Self.fewest.count) | \(Self.fewest)")
        print("traffic | calls to learn bus and tree | \(setUp.count) | \(setUp)")
        print(
            "traffic | messages of the asker's own | \(sent.count) sent, \(received.count) received"
        )
        #expect(calls.filter(Self.fewest.contains) == Self.fewest)
        #expect(setUp.count <= 8)
    }
}
