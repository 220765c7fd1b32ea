import BLE
import BLETesting
import NoiseProtocol
import Testing

@testable import BlueChat

@Suite("Sessions of who calls", .timeLimit(.minutes(10)))
struct CalleeSessionsTests {
    /// The first write of a session.
    private static func beginning(of session: UInt16) throws -> [UInt8] {
        var session = CallerSession(id: session, key: IdentityKey(), name: "Alice")
        var nobody: Conversation?
        guard case .write(let bytes)? = try session.nextOperation(upTo: 182, &nobody) else {
            throw CancellationError()
        }
        return bytes
    }

    @Test func `are begun anew also where the device has as many as it may`() async throws {
        let scene = try await ChatScene(isOriginal: false)
        try await scene.bob.start()
        try await OriginalCaller.see(scene.bobRadio.peer, by: scene.aliceRadio)
        let link = try await scene.aliceRadio.connect(to: scene.bobRadio.peer)
        _ = try await link.discoverServices()
        let count = CallingDevice.maximumSessionCount
        for session in Array(0..<count) + [0] {
            let bytes = try Self.beginning(of: UInt16(session))
            try await link.write(bytes, to: ChatService.fromCaller)
        }
        #expect(await scene.bob.callingDevices.values.map(\.ends.count) == [count])
        let another = try Self.beginning(of: UInt16(count))
        await #expect(throws: ATTError.noSession) {
            try await link.write(another, to: ChatService.fromCaller)
        }
        #expect(await scene.bob.callingDevices.values.map(\.ends.count) == [count])
        await link.disconnect()
        await scene.bob.stop()
    }
}
