import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("A socket with a stream, when it opens", .timeLimit(.minutes(10)))
struct StreamOpeningTests {
    private static let both = {
        var configuration = SocketScene.configuration
        configuration.transports = [.raw, .stream]
        return configuration
    }()

    @Test func `is chosen by who knows it, and others get raw bytes`() async throws {
        for (listening, connecting, transport) in [
            (Self.both, Self.both, SocketTransport.stream),
            (Self.both, SocketScene.stream, .stream),
            (SocketScene.stream, Self.both, .stream),
            (Self.both, SocketScene.configuration, .raw),
            (SocketScene.configuration, Self.both, .raw),
        ] {
            let scene = await SocketScene(listening, connecting: connecting)
            try await scene.open()
            #expect(await scene.listener.transport == transport)
            #expect(await scene.connector.transport == transport)
            try await scene.pass { try await scene.connector.send([1]) }
            #expect(try await scene.read(1, from: .listener) == [1])
            await scene.connector.close()
        }
        let scene = await SocketScene(SocketScene.configuration, connecting: SocketScene.stream)
        let listening = Task { try await scene.listener.open() }
        await expectFailure(.notFound) { try await scene.connector.open() }
        await scene.listener.close()
        await expectFailure(.notConnected) { try await listening.value }
    }

    @Test(arguments: [23, 185])
    func `is encrypted, and knows the other end's key`(mtuBytes: Int) async throws {
        let (one, other) = (SocketIdentity(), SocketIdentity())
        let scene = await SocketScene(
            mtuBytes: mtuBytes,
            SocketScene.encrypted(SocketEncryption(identity: one, peers: [other.publicKey])),
            connecting: SocketScene.encrypted(
                SocketEncryption(identity: other, peers: [one.publicKey])
            )
        )
        #expect(await scene.connector.peerKey == nil)
        try await scene.pass { try await scene.open() }
        #expect(await scene.connector.peerKey == one.publicKey)
        #expect(await scene.listener.peerKey == other.publicKey)
        let sent = (0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let reading = Task { try await scene.readToEnd(.listener) }
        try await scene.pass {
            try await scene.connector.send(sent)
            try await scene.connector.finish()
        }
        #expect(try await reading.value == sent)
        try await scene.pass {
            try await scene.listener.send([1])
            try await scene.listener.finish()
        }
        #expect(try await scene.readToEnd(.connector) == [1])
        try await scene.pass { await scene.waitUntilClosed() }
        #expect(await scene.events(of: .listener, 1) == ["opened"])
    }

    @Test func `does not open for one with another key or passphrase, or without encryption`()
        async throws
    {
        let secret = SocketPassphrase(Array("correct horse".utf8))
        let other = SocketPassphrase(Array("battery staple".utf8))
        for (one, other) in [
            (SocketEncryption(peers: [SocketIdentity().publicKey]), SocketEncryption()),
            (SocketEncryption(passphrase: secret), SocketEncryption(passphrase: other)),
            (SocketEncryption(passphrase: secret), SocketEncryption()),
            (SocketEncryption(passphrase: secret), nil), (SocketEncryption(), nil),
        ] {
            for (listening, connecting) in [(one, other), (other, one)] {
                let scene = await SocketScene(
                    SocketScene.encrypted(listening),
                    connecting: SocketScene.encrypted(connecting)
                )
                let opening = Task { try await scene.listener.open() }
                await expectFailure(.invalidHandshake) {
                    try await scene.pass { try await scene.connector.open() }
                }
                await expectFailure(.invalidHandshake) {
                    try await scene.pass { try await opening.value }
                }
            }
        }
    }

    @Test func `gives nobody raw bytes where the other end has to be known`() {
        var configuration = SocketConfiguration.nordicUART
        configuration.transports = [.raw, .stream]
        #expect(configuration.usableTransports == [.raw, .stream])
        configuration.encryption = SocketEncryption(peers: [SocketIdentity().publicKey])
        #expect(configuration.usableTransports == [.stream])
        configuration.encryption = nil
        #expect(configuration.usableTransports == [.raw, .stream])
    }

    @Test func `opens within its limit only with who speaks the protocol`() async throws {
        let scene = await SocketScene(SocketScene.stream)
        let listening = Task { try await scene.listener.open() }
        let link = try await scene.central.subscribed()
        try await link.writeWithoutResponse([0xFF], to: SocketScene.inbox)
        await expectFailure(.malformedData) { try await scene.pass { try await listening.value } }
    }

    /// A stranger's program has the service, and says nothing.
    @Test func `does not open over connections that bring no hello`() async throws {
        let scene = await SocketScene(SocketScene.stream)
        let publication = try await scene.peripheral.publish(
            SocketScene.stream.gattService,
            advertising: SocketScene.stream.advertisement,
            options: [],
            responder: SilentResponder()
        )
        await expectFailure(.timedOut) { try await scene.pass { try await scene.connector.open() } }
        await publication.withdraw()
    }

    @Test func `waits for anybody after a stranger who subscribed, and said nothing`() async throws
    {
        let scene = await SocketScene(Self.both, connecting: SocketScene.configuration)
        let received = await scene.listener.received()
        let listening = Task { try await scene.listener.open() }
        let link = try await scene.air.radio("Stranger").subscribed()
        while await !scene.listener.hasStream { await Task.yield() }
        await link.disconnect()
        while await scene.listener.hasStream { await Task.yield() }
        try await scene.pass { try await scene.connector.open() }
        try await scene.pass { try await listening.value }
        #expect(await scene.listener.transport == .raw)
        try await scene.pass { try await scene.connector.send([1]) }
        for try await bytes in received {
            #expect(bytes == [1])
            break
        }
    }
}

/// Takes what comes, and says nothing.
private struct SilentResponder: GATTResponder {
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {}
}
