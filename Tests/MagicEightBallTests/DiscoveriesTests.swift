import BLE
import BLETesting
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DiscoveriesTests {
    @Test("Known balls come first, then each one that is discovered, until the time is over")
    func course() async throws {
        let scene = try await AskingScene()
        _ = try await scene.discover("First")
        let looking = Task {
            try await scene.central.discoveries(for: .seconds(20)).reduce(into: []) {
                $0.append($1.name)
            }
        }
        await scene.clock.waitForSleeper(for: .seconds(20))
        _ = try await scene.discover("Second")
        _ = try await scene.discover("Third")
        await scene.clock.advance(by: .seconds(20))
        #expect(try await looking.value == ["First", "Second", "Third"])
    }

    @Test("A ball comes again when it has another name")
    func renamed() async throws {
        let scene = try await AskingScene()
        var balls = await scene.central.discoveries().makeAsyncIterator()
        let id = try await scene.discover("BlueZ 5.66").id
        await scene.radio.sight("Ball", as: "BlueZ 5.66")
        let found = [try await balls.next(), try await balls.next()]
        #expect(found.map { $0?.name } == ["BlueZ 5.66", "Ball"])
        #expect(found.allSatisfy { $0?.id == id })
    }

    @Test("Without a limit it ends when the central is stopped, with an error")
    func stopped() async throws {
        let scene = try await AskingScene()
        var balls = await scene.central.discoveries().makeAsyncIterator()
        _ = try await scene.discover("Ball")
        #expect(try await balls.next()?.name == "Ball")
        await scene.central.stop()
        let error = await #expect(throws: EightBallError.self) { try await balls.next() }
        #expect(error?.code == .stopped)
    }

    @Test("A central that was not started finds nothing, and says so")
    func notStarted() async throws {
        let central = EightBallCentral(radio: ScriptedCentralRadio(), clock: ManualClock())
        let error = await #expect(throws: EightBallError.self) {
            for try await _ in await central.discoveries() {}
        }
        #expect(error?.code == .stopped)
    }

    @Test("It fails with a start that fails, as the start does")
    func startFails() async throws {
        let radio = ScriptedCentralRadio()
        await radio.scanSlowly()
        let central = EightBallCentral(radio: radio, clock: ManualClock())
        let starting = Task { try await central.start() }
        let scan = try #require(await radio.requests.next())
        var balls = await central.discoveries().makeAsyncIterator()
        scan.fail(RadioError(.off, "hci0 has no power"))
        let error = await #expect(throws: EightBallError.self) { try await balls.next() }
        #expect(error?.code == .radioOff)
        let failure = await #expect(throws: EightBallError.self) { try await starting.value }
        #expect(failure?.message == error?.message)
    }

    @Test("It fails when the radio goes off")
    func radioOff() async throws {
        let scene = try await AskingScene()
        var balls = await scene.central.discoveries().makeAsyncIterator()
        await scene.radio.become(.off)
        let error = await #expect(throws: EightBallError.self) { try await balls.next() }
        #expect(error?.code == .radioOff)
    }

    @Test("A consumer that takes too long gets an error, after the balls that fitted")
    func overflow() async throws {
        let scene = try await AskingScene()
        let balls = await scene.central.discoveries()
        for number in 1...1025 {
            await scene.radio.sight("Ball \(number)")
            await scene.hear("discovered Ball \(number)")
            await scene.radio.report(.lost(PeerID(rawValue: "Ball \(number)")))
            await scene.hear("lost Ball \(number)")
        }
        var count = 0
        let error = await #expect(throws: EightBallError.self) {
            for try await _ in balls { count += 1 }
        }
        #expect(error?.code == .overflow)
        #expect(count == 1024)
    }
}
