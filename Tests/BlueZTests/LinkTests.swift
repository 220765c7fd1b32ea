import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

@Suite("A link", .timeLimit(.minutes(10)))
struct LinkTests {
    /// What the pauses can be before a request is sent again.
    private static let pauses: ClosedRange<Duration> = .milliseconds(7)...(.milliseconds(250))

    @Test func `reads a value`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        #expect(try await link.read(World.answer) == [42])
        await adapter.close()
    }

    @Test func `sends writes to one characteristic one after the other`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let first = Task { try await link.write([1], to: World.question) }
        let firstCall = await calls.next()
        let second = Task { try await link.write([2], to: World.question) }
        await link.device.hasQueued(2)
        let third = Task { try await link.write([3], to: World.question) }
        await link.device.hasQueued(3)
        #expect(await world.daemon.count("WriteValue") == 1)
        // Another characteristic is not held up.
        #expect(try await link.read(World.answer) == [42])
        // Who waits no longer does not hold up the others either.
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        firstCall?.reply()
        try await first.value
        let thirdCall = await calls.next()
        #expect(try thirdCall?.message.body().first == .bytes([3]))
        thirdCall?.reply()
        try await third.value
        await adapter.close()
    }

    @Test func `keeps the next write waiting for one that was cancelled too late`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let first = Task { try await link.write([1], to: World.question) }
        let firstCall = await calls.next()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await link.write([2], to: World.question) }
        await link.device.hasQueued(2)
        #expect(await world.daemon.count("WriteValue") == 1)
        firstCall?.reply()
        await calls.next()?.reply()
        try await second.value
        await adapter.close()
    }

    @Test(
        arguments: [
            (BlueZError.failed, "Operation failed with ATT error: 0x90", 0x90),
            (BlueZError.failed, "Operation failed with ATT error: 0x0e", 0x0E),
            (BlueZError.notPermitted, "Write not permitted", 0x03),
            (BlueZError.notSupported, "Operation is not supported", 0x06),
        ] as [(ErrorName, String, UInt8)]
    )
    func `throws the peer's refusal`(name: ErrorName, text: String, code: UInt8) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await calls.next()?.fail(ErrorReply(name, text))
        await #expect(throws: ATTError(rawValue: code)) { try await write.value }
        await adapter.close()
    }

    @Test(
        arguments: [
            (BlueZError.failed, "Not connected", .peerGone),
            (BlueZError.notPermitted, "Write acquired", .busy),
            (ErrorName.unknownObject, "gone", .servicesInvalidated),
        ] as [(ErrorName, String, RadioError.Code)]
    )
    func `throws what bluetoothd could not do`(
        name: ErrorName,
        text: String,
        code: RadioError.Code
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await calls.next()?.fail(ErrorReply(name, text))
        await #expect { try await write.value } throws: { isRadioError(code)($0) }
        await adapter.close()
    }

    @Test func `sends a request again while another program's is in the way, in order`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let first = Task { try await link.write([1], to: World.question) }
        for _ in 1...3 {
            await calls.next()?.fail(ErrorReply(BlueZError.inProgress, "In Progress"))
            await world.clock.waitForSleeper(for: Self.pauses)
            await world.clock.advance(by: Self.pauses.upperBound)
        }
        let call = await calls.next()
        let second = Task { try await link.write([2], to: World.question) }
        await link.device.hasQueued(2)
        #expect(try call?.message.body().first == .bytes([1]))
        call?.reply()
        try await first.value
        await calls.next()?.reply()
        try await second.value
        await adapter.close()
    }

    @Test func `does not send a request again that is no longer wanted`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let first = Task { try await link.write([1], to: World.question) }
        await calls.next()?.fail(ErrorReply(BlueZError.inProgress, "In Progress"))
        await world.clock.waitForSleeper(for: Self.pauses)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await link.write([2], to: World.question) }
        let call = await calls.next()
        await world.clock.advance(by: .seconds(1))
        #expect(try call?.message.body().first == .bytes([2]))
        call?.reply()
        try await second.value
        #expect(await world.daemon.count("WriteValue") == 2)
        await adapter.close()
    }

    @Test func `does not send a request again that was cancelled before it was refused`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let first = Task { try await link.write([1], to: World.question) }
        let refused = await calls.next()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await link.write([2], to: World.question) }
        await link.device.hasQueued(2)
        refused?.fail(ErrorReply(BlueZError.inProgress, "In Progress"))
        let call = await calls.next()
        #expect(try call?.message.body().first == .bytes([2]))
        call?.reply()
        try await second.value
        await adapter.close()
    }

    @Test func `gives up a request that another program's is in the way of for 8 s`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("WriteValue").makeAsyncIterator()
        let write = Task { try await link.write([1], to: World.question) }
        await calls.next()?.fail(ErrorReply(BlueZError.inProgress, "In Progress"))
        await world.clock.waitForSleeper(for: Self.pauses)
        await world.clock.advance(by: .seconds(8))
        await calls.next()?.fail(ErrorReply(BlueZError.inProgress, "In Progress"))
        await #expect { try await write.value } throws: { isRadioError(.busy)($0) }
        await adapter.close()
    }

    @Test func `is not held up by a read that nobody waits for`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        var reads = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let first = Task { try await link.read(World.answer) }
        let call = await reads.next()
        try await world.daemon.notify([1])
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        // What waited for its reply is told.
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [1])
        let second = Task { try await link.read(World.answer) }
        let next = await reads.next()
        // The first reply is nobody's, and does not end the second read.
        call?.reply([.bytes([7])])
        try await world.daemon.notify([8])
        next?.reply([.bytes([8])])
        #expect(try await second.value == [8])
        try await world.daemon.notify([9])
        #expect(await events.next()?.value == [9])
        await adapter.close()
    }

    @Test func `takes no value that is too long, and none for what is not there`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        await #expect {
            try await link.write(Array(repeating: 0, count: 513), to: World.question)
        } throws: {
            isRadioError(.valueTooLong)($0)
        }
        let missing = AttributeID(
            service: World.service,
            characteristic: BluetoothUUID(assignedNumber: 0x1234)
        )
        await #expect { _ = try await link.read(missing) } throws: {
            isRadioError(.missingAttribute)($0)
        }
        await adapter.close()
    }

    @Test func `tells notifications in order, once it is subscribed`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await world.daemon.notify([0])
        try await link.subscribe(to: World.answer)
        try await link.subscribe(to: World.answer)
        #expect(await world.daemon.count("StartNotify") == 1)
        for value in 1...60 { try await world.daemon.notify([UInt8(value)]) }
        var told: [UInt8] = []
        for await case .notification(World.answer, let value) in link.events {
            told += value
            if told.count == 60 { break }
        }
        #expect(told == Array(1...60))
        await adapter.close()
    }

    @Test func `tells no notification any more after it has unsubscribed`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        try await link.unsubscribe(from: World.answer)
        try await link.unsubscribe(from: World.answer)
        #expect(await world.daemon.count("StopNotify") == 1)
        try await world.daemon.notify([1])
        try await link.subscribe(to: World.answer)
        try await world.daemon.notify([2])
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [2])
        await adapter.close()
    }

    @Test func `does not tell its own reads`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        var calls = await world.daemon.hold("ReadValue").makeAsyncIterator()
        let read = Task { try await link.read(World.answer) }
        let call = await calls.next()
        try await world.daemon.notify([1])
        try await world.daemon.notify([9])
        call?.reply([.bytes([9])])
        #expect(try await read.value == [9])
        try await world.daemon.notify([2])
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [1])
        #expect(await events.next()?.value == [2])
        await adapter.close()
    }

    @Test func `unsubscribes again when subscribing was cancelled`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        var calls = await world.daemon.hold("StartNotify").makeAsyncIterator()
        let task = Task { try await link.subscribe(to: World.answer) }
        let call = await calls.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        call?.reply()
        await world.daemon.wasCalled("StopNotify")
        await adapter.close()
    }

    @Test func `unsubscribes again when subscribing had no reply in time, and may succeed yet`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open(requestLimit: .milliseconds(100))
        let link = try await world.link(adapter)
        let calls = await world.daemon.hold("StartNotify")
        await #expect {
            try await link.subscribe(to: World.answer)
        } throws: {
            isRadioError(.timedOut)($0)
        }
        await world.daemon.wasCalled("StopNotify")
        await adapter.close()
        withExtendedLifetime(calls) {}
    }

    @Test(arguments: [true, false])
    func `subscribes for each of two that ask at once, though the first is refused`(
        isConfirmed: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        let refusal = ErrorReply(BlueZError.failed, "Operation failed with ATT error: 0x80")
        var calls = await world.daemon.hold("StartNotify").makeAsyncIterator()
        let first = Task { try await link.subscribe(to: World.answer) }
        let call = await calls.next()
        let second = Task { try await link.subscribe(to: World.answer) }
        while await link.device.queue.count(at: ScriptedDaemon.answer) < 2 { await Task.yield() }
        call?.fail(refusal)
        await #expect(throws: ATTError(rawValue: 0x80)) { try await first.value }
        if isConfirmed {
            await calls.next()?.reply()
            try await second.value
            try await world.daemon.notify([1])
            var events = link.events.makeAsyncIterator()
            #expect(await events.next()?.value == [1])
        } else {
            await calls.next()?.fail(refusal)
            await #expect(throws: ATTError(rawValue: 0x80)) { try await second.value }
        }
        await adapter.close()
    }

    @Test func `ends when its values are not taken`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        for value in 0...256 { try await world.daemon.notify([UInt8(value & 0xFF)]) }
        await world.daemon.wasCalled("Disconnect")
        var events: [LinkEvent] = []
        for await event in link.events { events.append(event) }
        #expect(events.count == 258)
        #expect(events.prefix(256).map { $0.value?.first } == (0...255).map { UInt8($0) })
        guard case .disconnected(let error) = events.last else {
            Issue.record("the link did not end")
            return
        }
        #expect(error?.code == .overflow)
        await adapter.close()
    }
}

extension LinkEvent {
    /// The value of a notification.
    var value: [UInt8]? {
        if case .notification(_, let value) = self { value } else { nil }
    }
}

extension RemoteDevice {
    /// Waits until as many requests to the question have been asked for and not been answered.
    func hasQueued(_ count: Int) async {
        while queue.count(at: ScriptedDaemon.question) < count { await Task.yield() }
    }
}

extension RequestQueue {
    /// How many requests a characteristic has, with its descriptors.
    func count(at path: ObjectPath) -> Int {
        var copy = self
        return copy.removeAll(within: path).count
    }
}
