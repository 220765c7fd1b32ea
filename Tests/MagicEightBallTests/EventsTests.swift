import BLE
import BLETesting
import Testing

@testable import MagicEightBall

@Suite(.timeLimit(.minutes(10)))
struct EventsTests {
    @Test("A central's events are what its observers are told, in the same order")
    func central() async throws {
        let scene = try await AskingScene()
        var events = await scene.central.events.makeAsyncIterator()
        let ball = try await scene.discover()
        let asking = scene.ask("Will it rain?", of: ball)
        try await scene.reachWrite(of: "Will it rain?").succeed()
        await scene.hear("asked Ball Will it rain?")
        await scene.notify("Yes.")
        await scene.hear("answered Ball Will it rain? Yes.")
        _ = try await asking.value
        await scene.radio.say(.disconnected(nil), from: "Ball")
        await scene.hear("disconnected Ball")

        let lines = CentralRecorder()
        for line in [
            "discovered Ball", "connected Ball", "asked Ball Will it rain?",
            "answered Ball Will it rain? Yes.", "disconnected Ball",
        ] {
            let event = try #require(await events.next())
            await event.deliver(to: lines, from: scene.central)
            #expect(await lines.next() == line)
        }
    }

    @Test("A peripheral's events are what its observers are told, in the same order")
    func peripheral() async throws {
        let scene = try await AnsweringScene(answers: .fixed(Answer(.yes)))
        var events = await scene.ball.events.makeAsyncIterator()
        #expect(try await scene.refusal(of: "Rain", from: "A") == .unlikelyError)
        #expect(try await scene.refusal(of: "Rain?", from: "A") == nil)
        try await scene.expectAnswer("SLUG-ANSWER-08")
        await scene.radio.say(.disconnected(PeerID(rawValue: "A")))

        let lines = PeripheralRecorder()
        for _ in 1...5 {
            let event = try #require(await events.next())
            await event.deliver(to: lines, from: scene.ball)
            #expect(await lines.next() == scene.recorder.next())
        }
    }

    @Test("Events that nobody reads are dropped at the limit, and counted")
    func overflow() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        var events = await scene.ball.events.makeAsyncIterator()
        let peer = PeerID(rawValue: "A")
        for _ in 1...2049 {
            await scene.radio.say(.connected(peer))
            await scene.radio.say(.disconnected(peer))
        }
        for number in 0..<4_096 {
            switch try #require(await events.next()) {
            case .connected(let asker) where number.isMultiple(of: 2): #expect(asker.id == peer)
            case .disconnected where !number.isMultiple(of: 2): break
            case let event: Issue.record("\(event) is not what the ball reported as \(number)")
            }
        }
        guard case .failed(let error) = await events.next() else {
            Issue.record("after those before it the overflow is not told")
            return
        }
        #expect(error.code == .overflow)
        #expect(error.message.hasPrefix("2 events"))
    }

    @Test("A stream that nobody has finished reading keeps no central alive")
    func deallocation() async throws {
        weak var central: EightBallCentral?
        do {
            let radio = ScriptedCentralRadio()
            let started = EightBallCentral(radio: radio, clock: ManualClock())
            central = started
            let events = await started.events
            try await started.start()
            await radio.sight("Ball")
            for await event in events {
                if case .discovered = event { break }
            }
            await radio.sight("Other")
            _ = try await started.discoverDevice { $0.name == "Other" }
            await started.stop()
        }
        while central != nil { await Task.yield() }
    }

    @Test("A stream goes on over a stop and a start, and ends with the central")
    func ends() async throws {
        var central: EightBallCentral? = EightBallCentral(
            radio: ScriptedCentralRadio(),
            clock: ManualClock()
        )
        let stream = try #require(await central?.events)
        try await central?.start()
        await central?.stop()
        central = nil
        for await event in stream { Issue.record("\(event)") }
    }
}
