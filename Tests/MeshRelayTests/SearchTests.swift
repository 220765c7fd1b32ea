import BLE
import BLETesting
import Logging
import Testing

@testable import MeshRelay

@Suite("A node that looks for neighbours", .timeLimit(.minutes(10)))
struct SearchTests {
    @Test func `says once that its radio does not scan, and asks less and less often`() async throws
    {
        let scene = RelayScene()
        let (lines, log) = AsyncStream.makeStream(of: String.self)
        let (scans, scanned) = AsyncStream.makeStream(of: Void.self)
        let node = RelayNode(
            radio: DeafRadio(radio: await scene.air.radio("alice"), scanned: scanned),
            identity: RelayIdentity(),
            address: try RelayAddress("alice#1234"),
            clock: scene.clock,
            logger: Logger(label: "test") { _ in Recorder(log: log) }
        )
        let elapsed = scene.clock.stopwatch()
        try await scene.pass {
            try await node.start()
            var next = scans.makeAsyncIterator()
            for _ in 1...5 { _ = await next.next() }
        }
        // Each takes 10 s, and the pauses 1, 2, 4 and 8.
        #expect(elapsed() >= .seconds(55))
        try await scene.pass { await node.stop() }
        log.finish()
        var told = 0
        for await line in lines where line.contains("looking for neighbours") { told += 1 }
        #expect(told == 1)
    }
}

/// A radio whose system never replies when it is asked to scan.
private struct DeafRadio: CentralRadio, PeripheralRadio {
    let radio: MemoryRadio
    /// Told of each time that it is asked.
    let scanned: AsyncStream<Void>.Continuation

    var executor: any RadioExecutor { radio.executor }
    var state: RadioState { get async { await radio.state } }

    func states() async -> AsyncStream<RadioState> { await radio.states() }

    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        scanned.yield()
        return try await Promise<AsyncThrowingStream<ScanEvent, any Error>>().wait()
    }

    func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link {
        try await radio.connect(to: peer, options: options)
    }

    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        try await radio.publish(
            services,
            advertising: advertisement,
            options: options,
            responder: responder
        )
    }

    func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        try await radio.advertise(advertisement)
    }
}

/// Keeps the messages that are logged.
private struct Recorder: LogHandler {
    let log: AsyncStream<String>.Continuation
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { log.yield("\(event.message)") }
}
