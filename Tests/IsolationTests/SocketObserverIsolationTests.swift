import BLESocket
import BLETesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SocketObserverIsolationTests {
    @MainActor
    private final class Screen: SocketObserver {
        let lines: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation
        private var count = 0

        init() { (lines, continuation) = AsyncStream.makeStream(of: String.self) }

        private func show(_ line: String) {
            MainActor.preconditionIsolated()
            count += 1
            continuation.yield("\(count) \(line)")
        }

        func socketDidOpen(_ socket: Socket) async { show("opened") }
        func socketDidClose(_ socket: Socket) async { show("closed") }
    }

    private actor Counter: SocketObserver {
        nonisolated let counts = AsyncStream.makeStream(of: Int.self)
        private var count = 0

        func socketDidOpen(_ socket: Socket) async {
            preconditionIsolated()
            count += 1
            counts.continuation.yield(count)
        }
    }

    @Test("Callbacks of a socket's observers run where those are")
    func observers() async throws {
        let air = MemoryAir()
        let listener = Socket(listeningOn: await air.radio("Phone"), .nordicUART)
        let connector = Socket(connectingOver: await air.radio("Vehicle"), .nordicUART)
        let (screen, counter) = (await Screen(), Counter())
        await connector.addObserver(screen)
        await connector.addObserver(counter)
        async let listening: Void = listener.open()
        try await connector.open()
        try await listening
        await connector.close()
        var lines = screen.lines.makeAsyncIterator()
        #expect(await lines.next() == "1 opened")
        #expect(await lines.next() == "2 closed")
        var counts = counter.counts.stream.makeAsyncIterator()
        #expect(await counts.next() == 1)
        await listener.close()
    }
}
