import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("The end of a socket with a stream", .timeLimit(.minutes(10)))
struct StreamEndTests {
    /// Whoever opens it may come to ask for that only when it has been closed.
    @Test(arguments: [nil, SocketEncryption()])
    func `leaves known what it was, and why it is over`(encryption: SocketEncryption?) async throws
    {
        let scene = await SocketScene(SocketScene.encrypted(encryption))
        #expect(await scene.connector.opened == nil)
        try await scene.pass { try await scene.open() }
        let key = await scene.connector.peerKey
        #expect((key == nil) == (encryption == nil))
        await scene.listener.close()
        try await scene.pass { await scene.waitUntilClosed() }
        #expect(await scene.connector.transport == nil)
        let opened = try #require(await scene.connector.opened)
        #expect(opened.transport == .stream)
        #expect(opened.peerKey == key)
        #expect(await scene.connector.lastEnd?.code == .lostConnection)
        #expect(await scene.listener.lastEnd == nil)
    }

    /// Else who reads before it finishes itself would wait for ever.
    @Test(arguments: [nil, SocketEncryption()])
    func `is the end also for who reads later`(encryption: SocketEncryption?) async throws {
        let scene = await SocketScene(SocketScene.encrypted(encryption))
        try await scene.pass { try await scene.open() }
        try await scene.pass { try await scene.connector.finish() }
        #expect(try await scene.readToEnd(.listener) == [])
        let received = await scene.listener.received()
        let rest = try await received.reduce(into: [UInt8]()) { $0 += $1 }
        #expect(rest == [])
        #expect(await scene.listener.state == .open)
    }

    /// What a stranger sends is no handshake, and then is said to be all.
    @Test func `has the first of two reasons`() async throws {
        let scene = await SocketScene(SocketScene.stream)
        let opening = Task { try await scene.listener.open() }
        let link = try await scene.central.subscribed()
        for frame in [
            StreamFrame.hello(
                .init(session: 1, received: 0, limit: 1_000, isKnown: false, isEncrypted: true)
            ),
            .end(offset: 4), .data(offset: 0, [0xFF, 0xFF, 0, 0]),
        ] {
            try await link.writeWithoutResponse(frame.bytes, to: SocketScene.inbox)
        }
        await expectFailure(.invalidHandshake) {
            try await scene.pass { try await opening.value }
        }
    }

    /// Also when the radio takes the last packet late, and the central leaves before that.
    @Test(arguments: [false, true])
    func `opens again where it was told to, until it is closed here`(isSlow: Bool) async throws {
        var configuration = SocketScene.stream
        configuration.reconnects = true
        let scene = await SocketScene(configuration)
        if isSlow {
            var conditions = LinkConditions()
            conditions.latency = .milliseconds(200) ... .milliseconds(200)
            await scene.air.simulateConditions(
                conditions,
                from: scene.peripheral,
                to: scene.central
            )
        }
        let running = Task { try await scene.listener.run() }
        for isFinished in [true, false, true] {
            try await scene.pass {
                try await scene.connector.open()
                await scene.waitUntilOpen()
                if isFinished {
                    try await scene.connector.finish()
                    try await scene.listener.finish()
                } else {
                    await scene.connector.close()
                }
                await scene.waitUntilClosed()
            }
            #expect(await scene.listener.state == .opening)
        }
        try await scene.pass {
            try await scene.connector.open()
            await scene.waitUntilOpen()
            await scene.listener.close()
        }
        #expect(await scene.listener.state == .closed)
        try await running.value
    }

    @Test func `takes nothing that is written after it was asked for`() async throws {
        let scene = await SocketScene(SocketScene.stream)
        try await scene.open()
        let sent = [UInt8](repeating: 1, count: 100_000)
        let sending = Task { try await scene.connector.send(sent) }
        while await scene.connector.sends.isEmpty { await Task.yield() }
        let finishing = Task { try await scene.connector.finish() }
        // What was sent waits, as nobody reads it.
        while await scene.connector.sends.count < 2 { await Task.yield() }
        let reading = Task { try await scene.readToEnd(.listener) }
        try await scene.pass {
            await expectFailure(.notConnected) { try await scene.connector.write([2]) }
        }
        try await scene.pass { try await sending.value }
        try await scene.pass { try await finishing.value }
        #expect(try await reading.value == sent)
    }
}
