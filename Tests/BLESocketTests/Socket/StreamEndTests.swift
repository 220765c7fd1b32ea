import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("The end of a socket with a stream", .timeLimit(.minutes(10)))
struct StreamEndTests {
    /// Whoever opens it may come to ask for that only when it has been closed.
    @Test(arguments: [nil, SocketEncryption()])
    func `leaves known what it was`(encryption: SocketEncryption?) async throws {
        var configuration = SocketScene.stream
        configuration.encryption = encryption
        let scene = await SocketScene(configuration)
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
    }
}
