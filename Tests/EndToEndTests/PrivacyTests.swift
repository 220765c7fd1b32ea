import BLE
import BLEDBus
import BlueZ
import MagicEightBall
import Testing

/// What raw askers read of a ball of the SDK, beside each other.
@Suite("A private reply", .timeLimit(.oneCheck))
struct PrivacyTests {
    /// Runs a check with a ball on hci1, and the bus of raw askers.
    private static func check(
        _ name: String,
        _ source: AnswerSource,
        _ body: @escaping @Sendable (AskersBus) async throws -> Void
    ) async throws {
        try await EndToEndTests.check(name, adapters: 4) { world in
            let radio = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
            let ball = EightBallPeripheral(radio: radio, name: "Ball", answers: source)
            try await ball.start()
            let askers = try await AskersBus(world.bus.rawValue)
            let result: Result<Void, any Error>
            do { result = .success(try await body(askers)) } catch { result = .failure(error) }
            await askers.connection.close()
            await ball.stop()
            await radio.close()
            try result.get()
        }
    }

    @Test(arguments: [RejectionReason.refused, .deviceBusy, .peripheralError])
    func `may be a refusal that comes late`(reason: RejectionReason) async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Never.self)
        let source = AnswerSource { _, _ in
            for await _ in gate {}
            throw reason
        }
        try await Self.check("may be a late \(reason.name)", source) { askers in
            let asker = try await RawAsker("hci0", ball: 1, on: askers)
            try await asker.subscribe(to: RawAsker.reply)
            // Accepted before; the write has its reply.
            let asked = Task { try await asker.askPrivately("Is it late?", tag: 7) }
            opening.finish()
            guard case .told(let status, _) = try await asked.value else {
                Issue.record("\(try await asked.value)")
                return
            }
            #expect(status == reason.code)
        }
    }

    @Test func `is seen by nobody who only listens`() async throws {
        let source = AnswerSource.fixed(try Answer("For your ears only."))
        try await Self.check("is seen by nobody who only listens", source) { askers in
            let asker = try await RawAsker("hci0", ball: 1, on: askers)
            try await asker.subscribe(to: RawAsker.reply)
            let onlooker = try await RawAsker("hci2", ball: 1, on: askers)
            try await onlooker.subscribe(to: RawAsker.reply)
            try await onlooker.subscribe(to: RawAsker.answer)
            let outcome = try await asker.askPrivately("Is it secret?", tag: 9)
            #expect(outcome == .told(status: 0, text: "For your ears only."))
            let told = try #require(await onlooker.told())
            #expect(told.uuid == RawAsker.reply)
            #expect(told.value.count == 9 && told.value[0] == 1)
            #expect(try await onlooker.read(RawAsker.reply) == [])
            #expect(try await onlooker.read(RawAsker.answer) == [])
        }
    }
}
