import BLE
import BLESession
import Testing

@testable import MagicEightBall

/// What peers and observers can make grow has a limit each.
@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    @Test("Observers of a ball hear of it as an error")
    func untold() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let slow = SlowObserver()
        await scene.ball.addObserver(slow)
        let peer = PeerID(rawValue: "A")
        await scene.radio.say(.connected(peer))
        _ = await slow.begun.next()
        for _ in 0...Observers<any PeripheralObserver>.maximumCount {
            await scene.radio.say(.disconnected(peer))
            await scene.radio.say(.connected(peer))
        }
        slow.blocked.continuation.yield()
        #expect(await slow.failures.next() == .overflow)
        #expect(await scene.ball.error?.code == .overflow)
    }

    private final class SlowObserver: PeripheralObserver {
        let begun = Feed<Void>()
        let blocked = Feed<Void>()
        let failures = Feed<EightBallError.Code>()
        private let first = Feed<Void>()

        init() { first.continuation.yield() }

        func peripheral(_ peripheral: any AnsweringPeripheral, didConnect device: any AskerDevice)
            async
        {
            begun.continuation.yield()
            _ = await blocked.next()
            blocked.continuation.finish()
        }

        func peripheral(_ peripheral: any AnsweringPeripheral, didFail error: EightBallError) async
        {
            failures.continuation.yield(error.code)
        }
    }

    @Test("256 askers are known at once; the next is refused as busy until one has left")
    func askers() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let limit = EightBallPeripheral.maximumAskerCount
        for number in 1...limit + 1 {
            await scene.radio.say(.connected(PeerID(rawValue: "\(number)")))
        }
        #expect(await scene.ball.devices.count == limit)
        let late = "\(limit + 1)"
        #expect(await scene.refusal(of: "Me?", .random(), from: late) == ATTError(rawValue: 0x90))
        #expect(try await scene.radio.readReply(by: late).isEmpty)
        await scene.radio.say(.disconnected(PeerID(rawValue: "1")))
        #expect(await scene.refusal(of: "Me?", .random(), from: late) == nil)
        #expect(await scene.ball.devices.count == limit)
    }

    @Test("Of all askers 4096 questions are counted; more are refused until some are forgotten")
    func counted() async throws {
        let scene = try await AnsweringScene(
            answers: .manual,
            limit: QuestionLimit(count: 1_000_000, per: .seconds(30))
        )
        for _ in 0..<EightBallPeripheral.maximumCountedQuestions {
            // Each takes the place of the one before.
            #expect(await scene.refusal(of: "Well?", .random(), from: "A") == nil)
        }
        let tooMany = ATTError(rawValue: 0x96)
        #expect(await scene.refusal(of: "Well?", .random(), from: "A") == tooMany)
        #expect(await scene.refusal(of: "And me?", .random(), from: "B") == tooMany)
    }

    @Test("1024 balls are known at once; for the next one, the one silent for the longest is lost")
    func balls() async throws {
        let scene = try await AskingScene()
        let limit = EightBallCentral.maximumBallCount
        for number in 1...limit { _ = try await scene.discover("\(number)") }
        await scene.radio.sight("1")
        // The first is in use, however silent.
        let second = try #require(await scene.central.devices.dropFirst().first)
        let asking = scene.ask("Well?", of: second)
        _ = try await scene.expect(.connect(second.id))
        await scene.radio.sight("New")
        await scene.hear("lost 3")
        await scene.hear("discovered New")
        #expect(await scene.central.devices.count == limit)
        asking.cancel()
        _ = try? await asking.value
    }

    @Test("A central that was stopped is gone, with all its balls")
    func centralGoes() async throws {
        weak var central: EightBallCentral?
        do {
            let scene = try await AskingScene()
            central = scene.central
            let ball = try await scene.discover()
            let asking = scene.ask("Well?", of: ball)
            _ = try await scene.expect(.connect(ball.id))
            await scene.central.stop()
            _ = await asking.result
        }
        // As soon as the last of its tasks has ended.
        while central != nil { await Task.yield() }
    }

    @Test("A ball that was stopped is gone, with all its askers")
    func ballGoes() async throws {
        weak var ball: EightBallPeripheral?
        do {
            let scene = try await AnsweringScene(answers: .manual)
            ball = scene.ball
            let tag = QuestionTag.random()
            #expect(await scene.refusal(of: "Well?", tag, from: "A") == nil)
            let stopping = Task { await scene.ball.stop() }
            try await scene.expectReady(tag)
            #expect(try await scene.reply(to: "A") != nil)
            await scene.settle()
            try await scene.expect(.withdraw).succeed()
            await stopping.value
            await scene.radio.forgetResponder()
        }
        while ball != nil { await Task.yield() }
    }
}
