import Foundation
import Testing

@Suite("A ball that starts with the machine", .timeLimit(.oneCheck))
struct StartingTests {
    /// What is not there yet.
    enum Obstacle: String, CaseIterable, Sendable {
        case daemon = "there is no bluetoothd"
        case adapter = "there is no adapter"
        case power = "the adapter is off"
    }

    @Test(arguments: Obstacle.allCases)
    func `waits for the radio while`(obstacle: Obstacle) async throws {
        try await check("waits for the radio while \(obstacle.rawValue)") { world in
            switch obstacle {
            case .daemon: try await world.stopDaemon()
            case .adapter: try await world.unplug()
            case .power: try await world.powerOff(1)
            }
            let ball = try world.tool("eightball-answer", "--adapter", "hci1", "--wait", "120")
            try await ball.errorLine(with: "waiting for the radio")
            switch obstacle {
            case .daemon: try await world.startDaemon()
            case .adapter: try await world.plug()
            case .power: try await world.powerOn(1)
            }
            try await ball.errorLine(with: "is waiting for questions")
            #expect(try await world.ask("Will it rain?").status == 0)
            #expect(await ball.interrupt().status == 130)
        }
    }

    @Test func `ends when it is interrupted while it waits`() async throws {
        try await check { world in
            try await world.powerOff(1)
            let ball = try world.tool("eightball-answer", "--adapter", "hci1", "--wait", "120")
            try await ball.errorLine(with: "waiting for the radio")
            #expect(await ball.interrupt().status == 130)
            try await world.powerOn(1)
        }
    }

    @Test func `says what is missing when the wait is over`() async throws {
        try await check { world in
            try await world.powerOff(1)
            let ball = try world.tool("eightball-answer", "--adapter", "hci1", "--wait", "100ms")
            let outcome = await ball.end()
            #expect(outcome.status == 69)
            #expect(outcome.errors.contains("hci1 has no power"))
            try await world.powerOn(1)
        }
    }
}
