import BLE
import DBus
import DBusTesting
import Testing

@testable import BlueZ

/// bluetoothd says the same when the peer refuses, and when it takes the service back meanwhile.
@Suite("A request that is not supported", .timeLimit(.minutes(1)))
struct UnsupportedRequestTests {
    @Test func `tells a service that goes during a write from a refusal`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await writes.next()?
            .fail(ErrorReply(BlueZError.notSupported, "Operation is not supported"))
        let read = await reads.next()
        try await world.daemon.remove(ScriptedDaemon.question)
        read?.fail(ErrorReply(.unknownObject, "gone"))
        await #expect { try await write.value } throws: { isRadioError(.servicesInvalidated)($0) }
        await adapter.close()
    }

    @Test func `tells so too when the service's objects go later`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await writes.next()?
            .fail(ErrorReply(BlueZError.notSupported, "Operation is not supported"))
        await reads.next()?
            .fail(ErrorReply(BlueZError.failed, "Operation failed with ATT error: 0x01"))
        await #expect { try await write.value } throws: { isRadioError(.servicesInvalidated)($0) }
        await adapter.close()
    }

    /// Bluetoothd 5.66 with a peer that never replies to a read of what can only be written.
    @Test func `asks with a read that the peer replies to`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await writes.next()?
            .fail(ErrorReply(BlueZError.notSupported, "Operation is not supported"))
        let read = await reads.next()
        #expect(read?.message.path == ScriptedDaemon.answer)
        read?.reply([.bytes([])])
        await #expect(throws: ATTError.requestNotSupported) { try await write.value }
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `takes it for a refusal when nothing else shows in time`(
        canRead: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        let target = canRead ? World.question : World.answer
        if !canRead { try await world.daemon.addServices(answerFlags: ["write", "notify"]) }
        var writes = await world.daemon.hold("WriteValue").makeAsyncIterator()
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: target) }
        await writes.next()?
            .fail(ErrorReply(BlueZError.notSupported, "Operation is not supported"))
        // Never replied to.
        let unanswered = canRead ? await reads.next() : nil
        await world.clock.pass(.seconds(1))
        await #expect(throws: ATTError.requestNotSupported) { try await write.value }
        // The characteristic that was asked takes other requests all the same.
        let next = Task { try await link.write([2], to: World.answer) }
        await writes.next()?.reply()
        try await next.value
        #expect(await world.daemon.count("ReadValue") == (canRead ? 1 : 0))
        await adapter.close()
        withExtendedLifetime(unanswered) {}
    }
}
