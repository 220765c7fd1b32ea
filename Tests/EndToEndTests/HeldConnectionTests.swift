import BLE
import BLEDBus
import BlueZ
import MagicEightBall
import Testing

/// A connection that is made before the question, and held.
@Suite("A held connection", .timeLimit(.oneCheck))
struct HeldConnectionTests {
    /// As ``CentralEvent``, without the changes of the signal strength.
    private func lines(_ events: AsyncStream<CentralEvent>, upTo last: String) async -> [String] {
        var lines: [String] = []
        for await event in events {
            if case .changed = event { continue }
            lines.append(event.description)
            if lines.last == last { break }
        }
        return lines
    }

    @Test func `serves each question, and ends with disconnect`() async throws {
        try await check { world in
            let ball = try await world.ball("--answer", "Yes.")
            let radio = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            // One that is not held would end with each question.
            let timeouts = Timeouts(idleLink: .zero)
            let central = EightBallCentral(radio: radio, timeouts: timeouts)
            let events = await central.events
            try await central.start()
            let device = try await central.discoverDevice { _ in true }
            try await device.connect()
            #expect(await device.isConnected)
            for text in ["Is it?", "Is it still?"] {
                let answer = try await central.ask(Question(text), of: device)
                #expect(answer.text == "Yes.")
            }
            await device.disconnect()
            let name = device.name
            #expect(
                await lines(events, upTo: "disconnected from \(name)") == [
                    "discovered \(name)", "connected to \(name)",
                    "asked \(name) 'Is it?'", "\(name) answered 'Is it?': Yes.",
                    "asked \(name) 'Is it still?'", "\(name) answered 'Is it still?': Yes.",
                    "disconnected from \(name)",
                ]
            )
            let observer = try await world.observer()
            let peer = try world.device(1)
            try await observer.wait(for: "Connected", of: "Device1", at: peer) {
                $0?.bool == false
            }
            await central.stop()
            await radio.close()
            await ball.interrupt()
        }
    }

    @Test func `is made again by the next question after a loss`() async throws {
        try await check { world in
            let ball = try await world.ball("--answer", "Yes.")
            let radio = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let central = EightBallCentral(radio: radio, timeouts: Timeouts(idleLink: .zero))
            let events = await central.events
            try await central.start()
            let device = try await central.discoverDevice { _ in true }
            try await device.connect()
            let name = device.name
            try await world.endLink(from: 1, to: 0)
            for await case .disconnected(_, let error) in events {
                #expect(error?.code == .deviceOffline)
                break
            }
            #expect(try await central.ask(Question("Is it?"), of: device).text == "Yes.")
            #expect(try await central.ask(Question("Is it?"), of: device).text == "Yes.")
            #expect(await device.isConnected)
            await device.disconnect()
            let rest = await lines(events, upTo: "disconnected from \(name)")
            #expect(rest.count { $0 == "connected to \(name)" } == 1, "\(rest)")
            await central.stop()
            await radio.close()
            await ball.interrupt()
        }
    }
}
