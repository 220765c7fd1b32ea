import BLE
import BLETesting
import MagicEightBall
import Testing

/// Several balls: heard, told apart, asked at once.
@Suite(.timeLimit(.minutes(10)))
struct SeveralBallsTests {
    /// Answers each ball's question as its name says; a ball without an answer refuses.
    private func play(_ answers: [String: String], in scene: AskingScene) async throws {
        var connections: [ScriptedRequest] = []
        for _ in answers { connections.append(try #require(await scene.radio.requests.next())) }
        for connection in connections {
            guard case .connect(let peer) = connection.kind else { continue }
            connection.succeed()
            try await scene.expect(.subscribe).succeed()
            let write = try #require(await scene.radio.requests.next())
            if let answer = answers[peer.rawValue], !answer.isEmpty {
                write.succeed()
                await scene.hear("connected \(peer)")
                await scene.hear("asked \(peer) Well?")
                await scene.notify(answer, from: peer.rawValue)
                await scene.hear("answered \(peer) Well? \(answer)")
            } else {
                write.fail(ATTError(rawValue: 0x97))
                await scene.hear("connected \(peer)")
                await scene.hear("failed \(peer) Well? rejected refused")
            }
            try await scene.expect(.unsubscribe).succeed()
        }
    }

    @Test("All balls are asked at once, and each result comes as it is there")
    func all() async throws {
        let scene = try await AskingScene()
        for name in ["Red", "Green", "Blue"] { _ = try await scene.discover(name) }
        let balls = await scene.central.devices
        let responses = scene.central.ask(try Question("Well?"), ofAll: balls + balls)
        try await play(["Red": "One.", "Green": "", "Blue": "Three."], in: scene)
        var results: [String: String] = [:]
        for await response in responses {
            switch response.result {
            case .success(let answer): results[response.device.name] = answer.text
            case .failure(let error):
                results[response.device.name] = (error as? EightBallError)?.detail
            }
        }
        #expect(results == ["Red": "One.", "Green": " refused", "Blue": "Three."])
    }

    @Test("Nobody is asked when there is nobody")
    func none() async throws {
        let scene = try await AskingScene()
        for await _ in scene.central.ask(try Question("Well?"), ofAll: []) {
            Issue.record("somebody answered")
        }
        let error = await #expect(throws: EightBallError.self) {
            try await scene.central.ask(try Question("Well?"), ofAny: [])
        }
        #expect(error?.code == .noBallFound)
    }

    @Test("Of any ball the first answer counts, and the question to the others is taken back")
    func any() async throws {
        let scene = try await AskingScene()
        for name in ["Red", "Blue"] { _ = try await scene.discover(name) }
        let balls = await scene.central.devices
        let asking = Task { try await scene.central.ask(Question("Well?"), ofAny: balls) }
        let connections = [
            try #require(await scene.radio.requests.next()),
            try #require(await scene.radio.requests.next()),
        ]
        let blue = try #require(
            connections.first { $0.kind == .connect(PeerID(rawValue: "Blue")) }
        )
        blue.succeed()
        try await scene.expect(.subscribe).succeed()
        try await scene.expect(.write(Array("Well?".utf8))).succeed()
        await scene.hear("connected Blue")
        await scene.hear("asked Blue Well?")
        await scene.notify("Yes.", from: "Blue")
        let first = try await asking.value
        #expect(first.answer.stock == .yes)
        #expect(first.device.name == "Blue")
        await scene.hear("answered Blue Well? Yes.")
        await scene.hear("failed Red Well? cancelled")
    }

    @Test("When no ball answers, the error tells of all")
    func anyFails() async throws {
        let scene = try await AskingScene()
        for name in ["Red", "Blue"] { _ = try await scene.discover(name) }
        let balls = await scene.central.devices
        let asking = Task { try await scene.central.ask(Question("Well?"), ofAny: balls) }
        try await play(["Red": "", "Blue": ""], in: scene)
        let error = await #expect(throws: EightBallError.self) { try await asking.value }
        #expect(error?.code == .rejected(.refused))
        let message = try #require(error?.message)
        #expect(message.hasPrefix("none of 2 balls answered: "))
        #expect(message.contains("'Red'") && message.contains("'Blue'"))
    }

    @Test("Asking any of them can be cancelled")
    func cancelled() async throws {
        let scene = try await AskingScene()
        for name in ["Red", "Blue"] { _ = try await scene.discover(name) }
        let balls = await scene.central.devices
        let asking = Task { try await scene.central.ask(Question("Well?"), ofAny: balls) }
        _ = await scene.radio.requests.next()
        _ = await scene.radio.requests.next()
        asking.cancel()
        await #expect(throws: CancellationError.self) { _ = try await asking.value }
        let lines = [await scene.recorder.next(), await scene.recorder.next()]
        #expect(Set(lines) == ["failed Red Well? cancelled", "failed Blue Well? cancelled"])
    }

    @Test("A ball that comes nearer, goes out of range or gets another name is told as changed")
    func changes() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        #expect(await ball.smoothedRSSI == RSSI(-50))
        #expect(await ball.isInRange)
        #expect(try #require(await ball.lastSeen) <= .now)
        await scene.radio.sight("Ball", rssi: -52)
        await scene.radio.sight("Ball", rssi: -30)
        await scene.hear("changed Ball -45")
        #expect(await ball.rssi == RSSI(-30))
        await scene.radio.sight("Ball", rssi: -130)
        await scene.hear("changed Ball -67, far")
        await scene.radio.sight("Orb", rssi: nil, as: "Ball")
        await scene.hear("changed Orb -67, far")
        #expect(await scene.central.devices.map(\.name) == ["Orb"])
    }

    @Test("A ball that has fallen silent is lost; one that is heard meanwhile is not")
    func silence() async throws {
        let scene = try await AskingScene()
        let silent = try await scene.discover("Silent")
        _ = try await scene.discover("Loud")
        for period in 1...5 {
            await scene.clock.waitForSleeper(for: .seconds(25))
            if period == 5 {
                await scene.radio.sight("Loud")
                // Told behind the sighting, which has been heard then.
                _ = try await scene.discover("Third")
            }
            await scene.clock.advance(by: .seconds(25))
        }
        await scene.hear("lost Silent")
        #expect(await silent.rssi == nil)
        #expect(await scene.central.devices.map(\.name) == ["Loud", "Third"])
        _ = try await scene.discover("Silent")
    }

    @Test("A ball with a link is not lost, however silent")
    func linked() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await ball.sendQuestion(try Question("Well?"))
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        await scene.hear("answered Ball Well? Yes.")
        try await scene.expect(.unsubscribe).succeed()
        // The question has ended, and no step of it has a time limit any more.
        await scene.clock.waitForSleeper(for: .seconds(300))
        for _ in 1...6 {
            await scene.clock.waitForSleeper(for: .seconds(25))
            await scene.clock.advance(by: .seconds(25))
        }
        await scene.clock.waitForSleeper(for: .seconds(25))
        #expect(await scene.central.devices.count == 1)
    }
}
