import BLE
import BLETesting
import Testing

@testable import BLESocket

/// A socket that listens and one that connects, on radios in memory and a clock that stands still.
final class SocketScene: Sendable {
    enum End { case listener, connector }

    static let configuration = SocketConfiguration.keyless(
        service: "42B20191-092E-4B85-B0CA-1012F6AC783A"
    )
    static let stream = {
        var configuration = SocketScene.configuration
        // The clock runs ahead of what there is to do.
        configuration.sendLimit = nil
        configuration.transports = [.stream]
        return configuration
    }()

    /// A stream with an encryption, or without.
    static func encrypted(_ encryption: SocketEncryption?) -> SocketConfiguration {
        var configuration = stream
        configuration.encryption = encryption
        return configuration
    }

    /// Where the peripheral of a stream takes packets, and sends its own.
    static let inbox = AttributeID(service: stream.service, characteristic: stream.stream)

    let clock = ManualClock()
    let air: MemoryAir
    let central: MemoryRadio
    let peripheral: MemoryRadio
    let listener: Socket
    let connector: Socket
    private let recorders: (listener: SocketRecorder, connector: SocketRecorder)
    private let reading = Reading()

    init(
        seed: UInt64? = nil,
        mtuBytes: Int = 185,
        isOrdered: Bool = true,
        _ configuration: SocketConfiguration = SocketScene.configuration,
        connecting: SocketConfiguration? = nil
    ) async {
        var radio = MemoryRadio.Configuration()
        radio.mtuBytes = mtuBytes
        if !isOrdered { radio.features.remove(.orderedValues) }
        air = MemoryAir(seed: seed, clock: clock)
        central = await air.radio("Vehicle", radio)
        peripheral = await air.radio("Phone", radio)
        listener = Socket(listeningOn: peripheral, configuration, clock: clock)
        connector = Socket(connectingOver: central, connecting ?? configuration, clock: clock)
        recorders = (SocketRecorder(), SocketRecorder())
        await listener.addObserver(recorders.listener)
        await connector.addObserver(recorders.connector)
    }

    func open() async throws {
        await reading.begin(listener: listener.received(), connector: connector.received())
        async let listening: Void = listener.open()
        // It may not have noticed yet that the last connection has ended.
        while await connector.isOpen { await Task.yield() }
        try await connector.open()
        try await listening
    }

    func waitUntilOpen() async {
        while await !listener.isOpen { await Task.yield() }
        while await !connector.isOpen { await Task.yield() }
    }

    func waitUntilClosed() async {
        while await listener.isOpen { await Task.yield() }
        while await connector.isOpen { await Task.yield() }
    }

    /// Lets what can happen do so, and then a hundredth of a second pass.
    func passTime() async {
        for _ in 0..<50 { await Task.yield() }
        await clock.advance(by: .milliseconds(10))
    }

    /// Does something while time passes.
    func pass<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await clock.run(while: work)
    }

    func readToEnd(_ end: End) async throws -> [UInt8] {
        try await reading.readToEnd(end)
    }

    func read(_ byteCount: Int, from end: End) async throws -> [UInt8] {
        try await reading.read(byteCount, from: end)
    }

    /// The first events that an end's observer was told.
    func events(of end: End, _ count: Int) async -> [String] {
        await recorder(of: end).events.reduce(upTo: count)
    }

    /// The events that an end's observer was told, up to one.
    func events(of end: End, untilOneIs last: String) async -> [String] {
        var events: [String] = []
        for await event in recorder(of: end).events {
            events.append(event)
            if event == last { break }
        }
        return events
    }

    private func recorder(of end: End) -> SocketRecorder {
        switch end {
        case .listener: recorders.listener
        case .connector: recorders.connector
        }
    }
}

/// What was received, by two readers.
private actor Reading {
    private var listener: AsyncThrowingStream<[UInt8], any Error>?
    private var connector: AsyncThrowingStream<[UInt8], any Error>?

    func begin(
        listener: AsyncThrowingStream<[UInt8], any Error>,
        connector: AsyncThrowingStream<[UInt8], any Error>
    ) {
        self.listener = listener
        self.connector = connector
    }

    private func stream(
        of end: SocketScene.End
    ) throws -> AsyncThrowingStream<[UInt8], any Error> {
        switch end {
        case .listener: try #require(listener)
        case .connector: try #require(connector)
        }
    }

    func read(_ byteCount: Int, from end: SocketScene.End) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in try stream(of: end) {
            bytes += piece
            if bytes.count >= byteCount { return bytes }
        }
        return bytes
    }

    func readToEnd(_ end: SocketScene.End) async throws -> [UInt8] {
        try await stream(of: end).reduce(into: []) { $0 += $1 }
    }
}

/// Writes down what it is told.
final class SocketRecorder: SocketObserver {
    let events: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    func socketDidOpen(_ socket: Socket) async { continuation.yield("opened") }
    func socketDidFinishReceiving(_ socket: Socket) async { continuation.yield("finished") }
    func socketDidClose(_ socket: Socket) async { continuation.yield("closed") }
    func socket(_ socket: Socket, didReceive bytes: [UInt8]) async {
        continuation.yield("received \(bytes.count)")
    }
    func socket(_ socket: Socket, didReceiveControl message: [UInt8]) async {
        continuation.yield("control \(message)")
    }
    func socket(_ socket: Socket, didSend byteCount: Int) async {
        continuation.yield("sent \(byteCount)")
    }
    func socket(_ socket: Socket, didFailToSend error: SocketError) async {
        continuation.yield("not sent \(error.code)")
    }
    func socket(_ socket: Socket, didFailToReceive error: SocketError) async {
        continuation.yield("not received \(error.code)")
    }
    func socket(_ socket: Socket, didCloseUnexpectedly error: SocketError) async {
        continuation.yield("lost \(error.code)")
    }
}

extension AsyncStream<String> {
    /// The first of its elements.
    fileprivate func reduce(upTo count: Int) async -> [String] {
        var elements: [String] = []
        for await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}

extension MemoryRadio {
    /// What a scan for a socket's service brings.
    func scanEvents() async -> AsyncThrowingStream<ScanEvent, any Error> {
        do {
            return try await scan(ScanFilter(service: SocketScene.configuration.service))
        } catch {
            return AsyncThrowingStream { throw error }
        }
    }

    /// Who advertises a socket's service.
    func find() async throws -> PeerID {
        for try await case .seen(let sighting) in await scanEvents() { return sighting.peer }
        throw CancellationError()
    }

    /// A link to the peripheral of a stream as any program could make it, subscribed.
    func subscribed() async throws -> any Link {
        let link = try await connect(to: find())
        _ = try await link.discoverServices()
        try await link.subscribe(to: SocketScene.inbox)
        return link
    }
}

/// Expects a socket's error with a code.
func expectFailure(
    _ code: SocketError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing failed", sourceLocation: sourceLocation)
    } catch let error as SocketError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}

extension Socket {
    /// Whether a stream has begun, and is not over.
    var hasStream: Bool { stream != nil }

    /// The number of the session, which both ends have.
    var streamNumber: UInt64? { stream?.session.session }
}
