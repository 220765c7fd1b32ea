import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

/// bluetoothd says the same when the peer refuses, and when it takes the service back meanwhile.
@Suite("A request that is not supported", .timeLimit(.minutes(10)))
struct UnsupportedRequestTests {
    /// A write that bluetoothd calls not supported; the test decides what is read of that.
    private struct RefusedWrite {
        let world: World
        let adapter: Adapter
        let link: RemoteLink
        let write: Task<Void, any Error>
        private let writes: AsyncStream<MethodCall>
        private let reads: AsyncStream<MethodCall>

        init(to target: AttributeID = World.question) async throws {
            world = try await World()
            adapter = try await world.open()
            link = try await world.link(adapter)
            if target == World.answer {
                try await world.daemon.addServices(answerFlags: ["write", "notify"])
            }
            writes = await world.daemon.hold("WriteValue")
            reads = await world.daemon.hold("ReadValue")
            write = Task { [link] in try await link.write([1], to: target) }
            let refusal = ErrorReply(BlueZError.notSupported, "Operation is not supported")
            await nextWrite()?.fail(refusal)
        }

        func nextWrite() async -> MethodCall? { await writes.first { _ in true } }

        func nextRead() async -> MethodCall? { await reads.first { _ in true } }
    }

    @Test func `tells a service that goes during a write from a refusal`() async throws {
        let refused = try await RefusedWrite()
        let read = await refused.nextRead()
        try await refused.world.daemon.remove(ScriptedDaemon.question)
        read?.fail(ErrorReply(.unknownObject, "gone"))
        await #expect { try await refused.write.value } throws: {
            isRadioError(.servicesInvalidated)($0)
        }
        await refused.adapter.close()
    }

    @Test func `tells so too when the service's objects go later`() async throws {
        let refused = try await RefusedWrite()
        await refused.nextRead()?
            .fail(ErrorReply(BlueZError.failed, "Operation failed with ATT error: 0x01"))
        await #expect { try await refused.write.value } throws: {
            isRadioError(.servicesInvalidated)($0)
        }
        await refused.adapter.close()
    }

    /// bluetoothd 5.66 with a peer that never replies to a read of what can only be written.
    @Test func `asks with a read that the peer replies to`() async throws {
        let refused = try await RefusedWrite()
        let read = await refused.nextRead()
        #expect(read?.message.path == ScriptedDaemon.answer)
        read?.reply([.bytes([])])
        await #expect(throws: ATTError.requestNotSupported) { try await refused.write.value }
        await refused.adapter.close()
    }

    @Test(arguments: [true, false])
    func `takes it for a refusal when nothing else shows in time`(
        canRead: Bool
    ) async throws {
        let refused = try await RefusedWrite(to: canRead ? World.question : World.answer)
        // Never replied to.
        let unanswered = canRead ? await refused.nextRead() : nil
        await refused.world.clock.pass(.seconds(1))
        await #expect(throws: ATTError.requestNotSupported) { try await refused.write.value }
        // The characteristic that was asked takes other requests all the same.
        let next = Task { [link = refused.link] in try await link.write([2], to: World.answer) }
        await refused.nextWrite()?.reply()
        try await next.value
        #expect(await refused.world.daemon.count("ReadValue") == (canRead ? 1 : 0))
        await refused.adapter.close()
        withExtendedLifetime(unanswered) {}
    }
}
