import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("A listener of sockets", .timeLimit(.minutes(10)))
struct SocketListenerTests {
    private let clock = ManualClock()
    private let air: MemoryAir
    private let peripheral: MemoryRadio
    private let centrals: [MemoryRadio]

    init() async {
        air = MemoryAir(seed: nil, clock: clock)
        peripheral = await air.radio("Server")
        var centrals: [MemoryRadio] = []
        for number in 0..<3 { centrals.append(await air.radio("Client \(number)")) }
        self.centrals = centrals
    }

    private func listener(
        _ configuration: SocketConfiguration = SocketScene.stream,
        upTo count: Int = 8
    ) -> SocketListener {
        SocketListener(
            on: peripheral,
            configuration,
            maximumSocketCount: count,
            clock: clock
        )
    }

    private func client(
        _ number: Int,
        _ configuration: SocketConfiguration = SocketScene.stream
    ) -> Socket {
        Socket(connectingOver: centrals[number], configuration, clock: clock)
    }

    /// An open listener, what it tells next, a client, and the socket that was accepted of it.
    private func accepted() async throws -> (
        listener: SocketListener,
        events: AsyncStream<SocketListener.Event>.Iterator,
        client: Socket,
        socket: Socket
    ) {
        let listener = listener()
        var events = await listener.events().makeAsyncIterator()
        let client = client(0)
        try await clock.run {
            try await listener.open()
            try await client.open()
        }
        let event = await events.next()
        return (listener, events, client, try #require(event?.accepted))
    }

    /// Sends back what comes, to each.
    private func echo(_ events: AsyncStream<SocketListener.Event>) -> Task<Int, Never> {
        Task {
            await withDiscardingTaskGroup(returning: Int.self) { group in
                var count = 0
                for await event in events {
                    guard case .accepted(let socket) = event else { continue }
                    count += 1
                    group.addTask {
                        do {
                            for try await bytes in await socket.received() {
                                try await socket.write(bytes)
                            }
                            try await socket.finish()
                        } catch {
                            // It is closed with the listener, perhaps before it knows that the client has all.
                        }
                    }
                }
                return count
            }
        }
    }

    /// Sends bytes, and reads until the other end has finished.
    private func exchange(_ bytes: [UInt8], over socket: Socket) async throws -> [UInt8] {
        let received = await socket.received()
        try await socket.open()
        async let reading = received.reduce(into: [UInt8]()) { $0 += $1 }
        try await socket.write(bytes)
        try await socket.finish()
        return try await reading
    }

    /// Expects that what one end sends comes to the other.
    private func expectCarried(
        from sender: Socket,
        to receiver: Socket,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let received = await receiver.received()
        try await clock.run { try await sender.send([1, 2]) }
        for try await bytes in received {
            #expect(bytes == [1, 2], sourceLocation: sourceLocation)
            break
        }
    }

    private func bytes(_ number: Int, _ count: Int = 20_000) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number &* 31) }
    }

    @Test(arguments: [[0, 1, 2], [0, 0], [0, 0, 1, 1]])
    func `serves several centrals, and several programs of one, at once`(
        numbers: [Int]
    ) async throws {
        let listener = listener()
        let serving = echo(await listener.events())
        try await clock.run {
            try await listener.open()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, number) in numbers.enumerated() {
                    let socket = client(number)
                    group.addTask {
                        let sent = bytes(index)
                        let echoed = try await exchange(sent, over: socket)
                        #expect(echoed == sent)
                    }
                }
                try await group.waitForAll()
            }
        }
        try await clock.run { await listener.close() }
        #expect(await serving.value == numbers.count)
        #expect(await listener.socketCount == 0)
    }

    @Test func `goes on with the others when one leaves, or is lost and comes back`() async throws {
        let listener = listener()
        let events = await listener.events()
        var iterator = events.makeAsyncIterator()
        let (first, second) = (client(0), client(1))
        try await clock.run {
            try await listener.open()
            try await first.open()
        }
        var event = await iterator.next()
        let one = try #require(event?.accepted)
        try await clock.run { try await second.open() }
        event = await iterator.next()
        let other = try #require(event?.accepted)
        // What comes is kept until it is read.
        try await clock.run { try await second.send([1, 2, 3]) }
        await air.simulateDisconnection(between: centrals[1], and: peripheral)
        try await clock.run {
            try await second.send([4])
            await first.close()
        }
        try await clock.run { while await one.isOpen { await Task.yield() } }
        #expect(await listener.socketCount == 1)
        var received: [UInt8] = []
        for try await bytes in await other.received() {
            received += bytes
            if received.count == 4 { break }
        }
        #expect(received == [1, 2, 3, 4])
        #expect(await other.isOpen)
        let ends = await second.events
        try await clock.run { await listener.close() }
        for await case .closed(let error) in ends {
            #expect(error?.message == "the other end closed the connection")
            break
        }
    }

    @Test func `refuses more than it takes, and who has another key, while others go on`()
        async throws
    {
        var configuration = SocketScene.stream
        let identity = SocketIdentity()
        configuration.encryption = SocketEncryption(identity: identity)
        let listener = listener(configuration, upTo: 1)
        let events = await listener.events()
        var iterator = events.makeAsyncIterator()
        var wrong = configuration
        wrong.encryption = SocketEncryption(peers: [SocketIdentity().publicKey])
        let (stranger, first, second) = (client(0, wrong), client(1), client(2))
        try await clock.run { try await listener.open() }
        await expectFailure(.invalidHandshake) {
            try await clock.run { try await stranger.open() }
        }
        guard case .refused(let error)? = await iterator.next() else {
            Issue.record("nobody was refused")
            return
        }
        #expect(error.code == .invalidHandshake)
        try await clock.run { try await first.open() }
        #expect(await first.peerKey == identity.publicKey)
        await expectFailure(.busy) { try await clock.run { try await second.open() } }
        let event = await iterator.next()
        let socket = try #require(event?.accepted)
        try await clock.run { try await socket.send([1]) }
        #expect(await listener.socketCount == 1)
        try await clock.run { await listener.close() }
    }

    /// What a central says of a session that goes on.
    private func hello(_ session: UInt64, received: UInt32) -> [UInt8] {
        StreamFrame.hello(
            .init(
                session: session,
                received: received,
                limit: 1_000,
                isKnown: true,
                isEncrypted: SocketScene.stream.encryption != nil
            )
        ).bytes
    }

    /// All who have subscribed hear the hellos of all.
    @Test func `gives nobody the session of one that is connected`() async throws {
        let (listener, _, client, socket) = try await accepted()
        let link = try await centrals[1].subscribed()
        let session = try #require(await client.streamNumber)
        try await link.writeWithoutResponse(hello(session, received: 900), to: SocketScene.inbox)
        // Who has no session is told so, after that.
        try await link.writeWithoutResponse(hello(session ^ 1, received: 0), to: SocketScene.inbox)
        let unknown = StreamLabel(session: session ^ 1).added(
            to: StreamFrame.reset(.unknownSession).bytes
        )
        for await case .notification(_, unknown) in link.events { break }
        #expect(await socket.state == .open)
        try await expectCarried(from: client, to: socket)
        await link.disconnect()
        try await clock.run { await listener.close() }
    }

    /// All who have subscribed hear refusals, too.
    @Test func `refuses nobody with the label of a session that goes on`() async throws {
        let (listener, _, client, socket) = try await accepted()
        let link = try await centrals[1].subscribed()
        let session = try #require(await client.streamNumber)
        try await link.writeWithoutResponse(
            hello(session ^ 0x1_0000, received: 0),
            to: SocketScene.inbox
        )
        try await link.writeWithoutResponse(hello(session ^ 1, received: 0), to: SocketScene.inbox)
        let refusal = StreamFrame.reset(.unknownSession).bytes
        let (ofBoth, ofOne) = (
            StreamLabel(session: session).added(to: refusal),
            StreamLabel(session: session ^ 1).added(to: refusal)
        )
        for await case .notification(_, let frame) in link.events {
            #expect(frame != ofBoth)
            if frame == ofOne { break }
        }
        try await expectCarried(from: client, to: socket)
        await link.disconnect()
        try await clock.run { await listener.close() }
    }

    /// All who have subscribed hear that one is refused.
    @Test func `refuses who does not encrypt, while others go on`() async throws {
        let (listener, _, client, socket) = try await accepted()
        var plain = SocketScene.stream
        plain.encryption = nil
        let stranger = self.client(1, plain)
        await expectFailure(.invalidHandshake) {
            try await clock.run { try await stranger.open() }
        }
        #expect(await client.state == .open)
        try await expectCarried(from: client, to: socket)
        try await clock.run { await listener.close() }
    }

    /// The radio takes none of them before all have come.
    @Test func `sends so many refusals at once, however many it refuses`() async throws {
        let listener = listener()
        try await clock.run { try await listener.open() }
        let link = try await centrals[0].subscribed()
        let refused = (0..<100 as Range<UInt64>).map { hello($0, received: 0) }
        let accepted = StreamFrame.hello(
            .init(session: 100, received: 0, limit: 1_000, isKnown: false, isEncrypted: true)
        )
        await listener.receive(refused + [accepted.bytes])
        var refusalCount = 0
        for await case .notification(_, let frame) in link.events {
            if case .hello? = StreamFrame(frame) { break }
            refusalCount += 1
        }
        #expect(refusalCount == 16)
        await link.disconnect()
        try await clock.run { await listener.close() }
    }

    @Test func `publishes again what the system has ended, and sockets go on`() async throws {
        let (listener, told, client, socket) = try await accepted()
        var events = told
        await peripheral.simulateServiceEnd()
        guard case .interrupted? = await events.next() else {
            Issue.record("it was not interrupted")
            return
        }
        await peripheral.simulatePowerOn()
        try await expectCarried(from: socket, to: client)
        try await clock.run { await listener.close() }
    }

    /// As when the system's bus has ended: the radio does not come back to who has it.
    @Test func `ends when its radio was closed for good`() async throws {
        let listener = listener()
        let events = await listener.events()
        try await clock.run { try await listener.open() }
        await peripheral.close()
        let end = try await clock.run { () async -> SocketError? in
            var end: SocketError?
            for await event in events {
                if case .ended(let error) = event { end = error }
            }
            return end
        }
        #expect(end?.code == .bluetoothAbsent)
        await expectFailure(.bluetoothAbsent) { try await clock.run { try await listener.open() } }
    }

    @Test func `waits for the radio within its limit, and is open once`() async throws {
        await peripheral.simulatePowerOff()
        let listener = listener()
        await expectFailure(.bluetoothOff) { try await clock.run { try await listener.open() } }
        await peripheral.simulatePowerOn()
        try await clock.run { try await listener.open() }
        await expectFailure(.alreadyOpen) { try await listener.open() }
        try await clock.run { await listener.close() }
        try await clock.run { try await listener.open() }
        try await clock.run { await listener.close() }
    }

    @Test func `is not opened when it is closed meanwhile`() async throws {
        await peripheral.simulatePowerOff()
        let listener = listener()
        async let refused: Void = expectFailure(.notConnected) { try await listener.open() }
        await clock.waitForSleeper(for: .seconds(30))
        await listener.close()
        await refused
        // At whatever moment; it ends.
        for count in 0..<20 {
            let opening = await listener.beginOpening()
            for _ in 0..<count { await Task.yield() }
            await listener.close()
            _ = await opening.result
            await listener.close()
        }
        await peripheral.simulatePowerOn()
        try await clock.run { try await listener.open() }
        try await clock.run { await listener.close() }
    }

    @Test func `is open once when it is opened after each of two closes`() async throws {
        let listener = listener()
        try await clock.run { try await listener.open() }
        let results = try await clock.run { await listener.reopenTwice() }
        let errors = results.compactMap { result -> SocketError? in
            if case .failure(let error) = result { error as? SocketError } else { nil }
        }
        #expect(errors.map(\.code) == [.alreadyOpen])
        try await clock.run { await listener.close() }
        try await clock.run { try await listener.open() }
        try await clock.run { await listener.close() }
    }
}

extension SocketListener {
    /// Takes what a stranger has written, all of it at once.
    fileprivate func receive(_ frames: [[UInt8]]) {
        for frame in frames { receive(frame, from: PeerID(rawValue: "Stranger"), 1) }
    }

    /// It has begun before anything that is asked for afterwards.
    fileprivate func beginOpening() -> Task<Void, Never> { Task { try? await open() } }

    private func reopen() async throws {
        await close()
        try await open()
    }

    /// Both begin before either is closed.
    fileprivate func reopenTwice() async -> [Result<Void, any Error>] {
        let (one, other) = (Task { try await reopen() }, Task { try await reopen() })
        return [await one.result, await other.result]
    }
}

extension SocketListener.Event {
    fileprivate var accepted: Socket? {
        if case .accepted(let socket) = self { socket } else { nil }
    }
}
