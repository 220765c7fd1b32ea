import BLE
import MagicEightBall
import Testing

/// This target's settings are those of a new package, not those of the libraries.
@Suite(.timeLimit(.minutes(10)))
struct ObserverIsolationTests {
    @MainActor
    private final class Screen: CentralObserver, PeripheralObserver {
        let lines: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation
        private var count = 0

        init() { (lines, continuation) = AsyncStream.makeStream(of: String.self) }

        private func show(_ line: String) {
            MainActor.preconditionIsolated()
            count += 1
            continuation.yield("\(count) \(line)")
        }

        func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
            show(device.name)
        }

        func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
            show(peripheral.localName)
        }
    }

    /// Its callbacks touch no state, so that only their isolation can be wrong.
    @MainActor
    private final class StatelessScreen: CentralObserver {
        nonisolated let discovered = AsyncStream.makeStream(of: Void.self)

        func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
            MainActor.preconditionIsolated()
            discovered.continuation.yield()
        }
    }

    private actor Counter: CentralObserver, PeripheralObserver {
        nonisolated let counts = AsyncStream.makeStream(of: Int.self)
        private var count = 0

        private func add() {
            preconditionIsolated()
            count += 1
            counts.continuation.yield(count)
        }

        func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
            add()
        }

        func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
            add()
        }
    }

    private final class Recorder: CentralObserver, PeripheralObserver {
        let names = AsyncStream.makeStream(of: String.self)

        func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
            names.continuation.yield(device.name)
        }

        func peripheralDidStartAdvertising(_ peripheral: any AnsweringPeripheral) async {
            names.continuation.yield(peripheral.localName)
        }
    }

    private let central = EightBallCentral(radio: OneBallRadio())
    private let ball = EightBallPeripheral(radio: OneBallRadio(), name: "Oracle")

    @Test("Callbacks of a main-actor observer run on the main actor, and use its state")
    func mainActor() async throws {
        let screen = await Screen()
        await central.addObserver(screen)
        await ball.addObserver(screen)
        var lines = screen.lines.makeAsyncIterator()
        try await central.start()
        #expect(await lines.next() == "1 Ball")
        try await ball.start()
        #expect(await lines.next() == "2 Oracle")
        await central.stop()
        await ball.stop()
    }

    @Test("Callbacks of a main-actor observer run there also when they touch no state of it")
    func mainActorWithoutState() async throws {
        let screen = StatelessScreen()
        await central.addObserver(screen)
        try await central.start()
        for await _ in screen.discovered.stream { break }
        await central.stop()
    }

    @Test("Callbacks of an actor run on it")
    func actor() async throws {
        let counter = Counter()
        await central.addObserver(counter)
        await ball.addObserver(counter)
        var counts = counter.counts.stream.makeAsyncIterator()
        try await central.start()
        #expect(await counts.next() == 1)
        try await ball.start()
        #expect(await counts.next() == 2)
        await central.stop()
        await ball.stop()
    }

    @Test("Callbacks reach a class without isolation")
    func plainClass() async throws {
        let recorder = Recorder()
        await central.addObserver(recorder)
        await ball.addObserver(recorder)
        var names = recorder.names.stream.makeAsyncIterator()
        try await central.start()
        #expect(await names.next() == "Ball")
        try await ball.start()
        #expect(await names.next() == "Oracle")
        await central.stop()
        await ball.stop()
    }
}
