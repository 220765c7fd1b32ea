import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("A socket with a stream", .timeLimit(.minutes(10)))
struct StreamSocketTests {
    @Test(arguments: [23, 185, 517])
    func `carries bytes both ways, in order`(mtuBytes: Int) async throws {
        let scene = await SocketScene(mtuBytes: mtuBytes, SocketScene.stream)
        try await scene.open()
        #expect(await scene.connector.transport == .stream)
        let sent = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let toCentral = Task { try await scene.listener.send(sent) }
        let toPeripheral = Task { try await scene.connector.send(sent.reversed()) }
        async let fromPeripheral = scene.read(sent.count, from: .connector)
        async let fromCentral = scene.read(sent.count, from: .listener)
        // A confirmation may wait for 20 ms.
        try await scene.pass { try await toCentral.value }
        try await scene.pass { try await toPeripheral.value }
        #expect(try await fromPeripheral == sent)
        #expect(try await fromCentral == sent.reversed())
    }

    /// Who has exclusive access writes no more at once than when it was acquired, and in no other way.
    @Test func `carries bytes on when the MTU grows`() async throws {
        var configuration = SocketScene.stream
        configuration.sendLimit = .seconds(600)
        let scene = await SocketScene(mtuBytes: 23, configuration)
        try await scene.pass { try await scene.open() }
        try await scene.pass { try await scene.connector.send([1]) }
        await scene.air.simulateMTUChange(to: 185, between: scene.central, and: scene.peripheral)
        while await scene.connector.mtuBytes != 185 { await scene.passTime() }
        // As many as are taken though nobody reads.
        let sent = (0..<8_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await scene.pass { try await scene.connector.send(sent) }
        try await scene.pass { try await scene.listener.send(sent) }
        #expect(try await scene.read(8_001, from: .listener) == [1] + sent)
        #expect(try await scene.read(8_000, from: .connector) == sent)
    }

    @Test func `has an end for each direction, and is closed after both`() async throws {
        let scene = await SocketScene(SocketScene.stream)
        try await scene.open()
        try await scene.pass {
            try await scene.connector.send([1, 2])
            try await scene.connector.finish()
        }
        #expect(try await scene.readToEnd(.listener) == [1, 2])
        await expectFailure(.notConnected) { try await scene.connector.send([3]) }
        #expect(await scene.listener.isOpen)
        try await scene.pass {
            try await scene.listener.send([4])
            try await scene.listener.finish()
        }
        #expect(try await scene.readToEnd(.connector) == [4])
        try await scene.pass { await scene.waitUntilClosed() }
        #expect(
            await scene.events(of: .connector, 6) == [
                "opened", "sent 2", "sent 0", "received 1", "finished", "closed",
            ]
        )
        #expect(
            await scene.events(of: .listener, 6) == [
                "opened", "received 2", "finished", "sent 1", "sent 0", "closed",
            ]
        )
        // And can be opened again.
        try await scene.open()
        #expect(await scene.listener.isOpen)
    }

    /// Whichever end loses its radio, however often: nothing is lost, nothing comes twice.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `goes on over another connection with what has not come`(seed: UInt64) async throws {
        let scene = await SocketScene(seed: seed, SocketScene.stream)
        try await scene.open()
        let sent = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
        let sending = Task {
            try await scene.connector.send(sent)
            try await scene.connector.finish()
        }
        let replying = Task {
            try await scene.listener.send(sent.reversed())
            try await scene.listener.finish()
        }
        let reading = Task { try await scene.readToEnd(.connector) }
        var received: [UInt8] = []
        for round in 1...5 {
            let next = round * 10_000
            let byteCount = next - received.count
            received += try await scene.pass {
                try await scene.read(byteCount, from: .listener)
            }
            let radio = (Int(seed) + round) % 2 == 0 ? scene.central : scene.peripheral
            await radio.simulatePowerOff()
            await radio.simulatePowerOn()
        }
        received += try await scene.pass { try await scene.readToEnd(.listener) }
        #expect(received == sent)
        try await scene.pass { try await sending.value }
        try await scene.pass { try await replying.value }
        #expect(try await reading.value == sent.reversed())
        #expect(await scene.events(of: .connector, 1) == ["opened"])
    }

    @Test func `is over when no other connection comes`() async throws {
        var configuration = SocketScene.stream
        configuration.resumptionLimit = .seconds(2)
        let scene = await SocketScene(configuration)
        try await scene.open()
        await scene.peripheral.simulatePowerOff()
        #expect(await scene.connector.isOpen)
        await expectFailure(.lostConnection) {
            try await scene.pass { _ = try await scene.read(1, from: .connector) }
        }
        #expect(await scene.events(of: .connector, 2) == ["opened", "lost lostConnection"])
        #expect(await !scene.connector.isOpen)
        await expectFailure(.notConnected) { try await scene.connector.send([1]) }
    }

    @Test func `is seen to be closed by the other end, with what was not read`() async throws {
        let scene = await SocketScene(SocketScene.stream)
        try await scene.open()
        try await scene.pass { try await scene.listener.send([1, 2, 3]) }
        await scene.listener.close()
        #expect(try await scene.read(3, from: .connector) == [1, 2, 3])
        await expectFailure(.lostConnection) { _ = try await scene.read(1, from: .connector) }
        #expect(await scene.events(of: .listener, 3) == ["opened", "sent 3", "closed"])
    }

    @Test(arguments: [nil, SocketEncryption()])
    func `lets nobody send more than is read`(encryption: SocketEncryption?) async throws {
        let scene = await SocketScene(SocketScene.encrypted(encryption))
        try await scene.pass { try await scene.open() }
        let sending = Task {
            try await scene.connector.send([UInt8](repeating: 1, count: 500_000))
        }
        // Of what is encrypted a record may be on its way.
        let least = 16 * 1_024 - (encryption == nil ? 0 : StreamCipher.maximumRecordByteCount + 100)
        while await scene.listener.waitingByteCount < least { await scene.passTime() }
        // Time enough for more, if any may come.
        for _ in 0..<20 { await scene.passTime() }
        #expect(await scene.listener.waitingByteCount <= 16 * 1_024)
        #expect(await scene.listener.isOpen)
        let received = try await scene.pass { try await scene.read(500_000, from: .listener) }
        #expect(received.count == 500_000)
        try await scene.pass { try await sending.value }
    }

    @Test func `says which call was not confirmed in time, and goes on`() async throws {
        var configuration = SocketScene.stream
        configuration.sendLimit = .seconds(60)
        configuration.encryption = nil
        let scene = await SocketScene(configuration)
        try await scene.open()
        let sending = Task {
            try await scene.connector.send([UInt8](repeating: 1, count: 20_000))
        }
        // All that the other end lets it send: what is still here when the time is over is not sent.
        while await scene.listener.waitingByteCount < 16_384 { await scene.passTime() }
        await expectFailure(.timedOut) { try await scene.pass { try await sending.value } }
        #expect(await scene.events(of: .connector, 2) == ["opened", "not sent timedOut"])
        let cancelled = Task { try await scene.connector.send([2]) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        _ = try await scene.pass { try await scene.read(16_384, from: .listener) }
        try await scene.pass { try await scene.connector.send([3]) }
    }

    @Test func `carries control messages among its bytes, once each`() async throws {
        let scene = await SocketScene(SocketScene.encrypted(SocketEncryption()))
        await expectFailure(.notConnected) { try await scene.connector.write(control: [1]) }
        try await scene.pass { try await scene.open() }
        // The second one waits until the bytes before it are read.
        let sending = Task {
            try await scene.connector.write(control: [1, 2])
            try await scene.connector.send([UInt8](repeating: 3, count: 100_000))
            try await scene.connector.write(control: [4])
            try await scene.connector.finish()
        }
        let radio = scene.peripheral
        await radio.simulatePowerOff()
        await radio.simulatePowerOn()
        let received = try await scene.pass { try await scene.readToEnd(.listener) }
        #expect(received == [UInt8](repeating: 3, count: 100_000))
        try await scene.pass { try await sending.value }
        let longest = [UInt8](repeating: 5, count: Socket.maximumControlByteCount)
        await expectFailure(.tooLong) { try await scene.listener.write(control: longest + [5]) }
        try await scene.pass {
            try await scene.listener.write(control: longest)
            try await scene.listener.finish()
        }
        try await scene.pass { await scene.waitUntilClosed() }
        #expect(
            await scene.events(of: .connector, 6) == [
                "opened", "sent 100000", "sent 0", "control \(longest)", "finished", "closed",
            ]
        )
        let events = await scene.events(of: .listener, untilOneIs: "closed")
        #expect(
            events.filter { !$0.hasPrefix("received") } == [
                "opened", "control [1, 2]", "control [4]", "finished", "sent 0", "closed",
            ]
        )
        let (first, last) = (
            events.firstIndex(of: "control [1, 2]"), events.firstIndex(of: "control [4]")
        )
        let pieces = events.indices.filter { events[$0].hasPrefix("received") }
        #expect(try #require(first) < #require(pieces.first))
        #expect(try #require(last) > #require(pieces.last))
    }

    @Test func `carries no control messages where strangers could add some`() async throws {
        for configuration in [SocketScene.encrypted(nil), SocketScene.configuration] {
            let scene = await SocketScene(configuration)
            try await scene.pass { try await scene.open() }
            await expectFailure(.unsupported) { try await scene.connector.write(control: [1]) }
        }
    }

    /// What was not read is of no use to the next reader, and holds nobody up.
    @Test(arguments: [nil, SocketEncryption()])
    func `lets the other end go on when a reader leaves bytes behind`(
        encryption: SocketEncryption?
    ) async throws {
        let scene = await SocketScene(SocketScene.encrypted(encryption))
        try await scene.pass { try await scene.open() }
        let sending = Task {
            try await scene.connector.send([UInt8](repeating: 1, count: 100_000))
        }
        let least = 16 * 1_024 - StreamCipher.maximumRecordByteCount - 100
        while await scene.listener.waitingByteCount < least { await scene.passTime() }
        // One reader is followed by another, and that one goes.
        do {
            let next = await scene.listener.received()
            while await scene.listener.waitingByteCount < least { await scene.passTime() }
            withExtendedLifetime(next) {}
        }
        try await scene.pass { try await sending.value }
    }
}

extension Socket {
    /// How many bytes wait for whoever reads.
    fileprivate var waitingByteCount: Int { pieces.byteCount }
}
