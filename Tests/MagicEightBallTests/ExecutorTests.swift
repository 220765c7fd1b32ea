import BLE
import BLELocking
import BLETesting
import Dispatch
import MagicEightBall
import Testing

/// Who runs on the radio's executor: the SDK, and nothing of the program that uses it.
@Suite("On the radio's executor", .timeLimit(.minutes(10)))
struct ExecutorTests {
    /// Where code of the program was called.
    private final class Places: Sendable {
        private let executor: any RadioExecutor
        private let calls = Locked<[String: Bool]>([:])

        init(_ executor: any RadioExecutor) { self.executor = executor }

        func note(_ name: String) {
            let isOnExecutor = executor.isIsolatingCurrentContext() != false
            calls.withLock { $0[name] = $0[name] == true || isOnExecutor }
        }

        /// Whether each was called on the executor.
        var all: [String: Bool] { calls.withLock { $0 } }
    }

    private final class Observer: CentralObserver, PeripheralObserver {
        let places: Places

        init(_ places: Places) { self.places = places }

        func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
            places.note("didDiscover")
        }

        func peripheral(
            _ peripheral: any AnsweringPeripheral,
            didReceive question: Question,
            from device: any AskerDevice
        ) async {
            places.note("didReceive")
        }
    }

    @Test func `no code of the program is called`() async throws {
        let air = MemoryAir()
        let (phone, table) = (await air.radio("Phone"), await air.radio("Table"))
        let places = Places(table.executor)
        let observer = Observer(places)
        let source = AnswerSource { _, _ in
            places.note("source")
            return Answer(.yes)
        }
        let ball = EightBallPeripheral(
            radio: table,
            name: "Oracle",
            answers: source.refusing { _, _ in
                places.note("refusing")
                return nil
            }
        )
        await ball.addObserver(observer)
        try await ball.start()
        let central = EightBallCentral(radio: phone, timeouts: MemoryRadioTests.timeouts)
        await central.addObserver(observer)
        try await central.start()
        let found = try await central.discoverDevice {
            places.note("where")
            return $0.name == "Oracle"
        }
        #expect(try await central.ask(Question("Will it rain?"), of: found).stock == .yes)
        await central.stop()
        await ball.stop()
        let names = ["where", "refusing", "source", "didDiscover", "didReceive"]
        #expect(places.all == Dictionary(uniqueKeysWithValues: names.map { ($0, false) }))
    }

    @Test func `the central and the ball run`() async throws {
        let radio = await MemoryAir().radio("Both")
        let central = EightBallCentral(radio: radio)
        let ball = EightBallPeripheral(radio: radio, name: "Oracle")
        await withCheckedContinuation { continuation in
            radio.executor.call {
                central.assertIsolated()
                ball.assertIsolated()
                continuation.resume()
            }
        }
    }

    @Test func `a check that blocks its thread holds up its question alone`() async throws {
        // A radio refuses after 5 s what has no reply: its time stands still while the check holds the question.
        let clock = ManualClock()
        let air = MemoryAir(clock: clock)
        let (checks, check) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        // The check takes one of the few threads there are; the tests beside it may need the others for minutes.
        var timeouts = MemoryRadioTests.timeouts
        timeouts.thinking = .seconds(600)
        timeouts.answer = .seconds(660)
        let ball = EightBallPeripheral(
            radio: await air.radio("Table"),
            name: "Oracle",
            answers: AnswerSource.fixed(Answer(.yes)).refusing { _, _ in
                check.yield()
                release.wait()
                return nil
            },
            timeouts: timeouts
        )
        try await ball.start()
        let central = EightBallCentral(radio: await air.radio("Phone"), timeouts: timeouts)
        try await central.start()
        let found = try await clock.run { try await central.discoverDevice { _ in true } }
        let asking = Task { try await central.ask(Question("Will it rain?"), of: found) }
        for await _ in checks { break }
        // Both, and their radios, are there meanwhile.
        #expect(await ball.devices.count == 1)
        #expect(await found.isConnected)
        release.signal()
        #expect(try await clock.run { try await asking.value.stock } == .yes)
        await central.stop()
        await ball.stop()
    }
}
