import BLE
import BLETesting
import Testing

@Suite("Exclusive access", .timeLimit(.minutes(10)))
struct ExclusiveAccessTests {
    @Test func `for writing keeps others out until it is closed`() async throws {
        let scene = try await Scene()
        let (link, other) = (try await scene.link(), try await scene.link())
        let writer = try await link.acquireWriter(for: Sample.command)
        #expect(writer.maximumByteCount == 512)
        await expect(.busy) { _ = try await other.acquireWriter(for: Sample.command) }
        await expect(.busy) { try await other.writeWithoutResponse([2], to: Sample.command) }
        try await writer.write([1])
        let long = [UInt8](repeating: 7, count: 513)
        await expect(.valueTooLong) { try await writer.write(long) }
        await writer.close()
        await writer.close()
        await expect(.peerGone) { try await writer.write([3]) }
        try await other.writeWithoutResponse([4], to: Sample.command)
        let calls = try await scene.responder.calls.first(4)
        #expect(calls.suffix(2) == ["Phone writes [1] to 2A20/0", "Phone writes [4] to 2A20/0"])
    }

    @Test func `for writing ends when nobody has the writer any longer`() async throws {
        let scene = try await Scene()
        let (link, other) = (try await scene.link(), try await scene.link())
        _ = try await link.acquireWriter(for: Sample.command)
        while true {
            do {
                try await other.writeWithoutResponse([4], to: Sample.command)
                break
            } catch let error as RadioError where error.code == .busy {
                await Task.yield()
            }
        }
    }

    @Test func `for writing ends with its link`() async throws {
        let scene = try await Scene()
        let (link, other) = (try await scene.link(), try await scene.link())
        let writer = try await link.acquireWriter(for: Sample.command)
        await link.disconnect()
        await expect(.peerGone) { try await writer.write([1]) }
        _ = try await other.acquireWriter(for: Sample.command)
    }

    @Test func `ends with the service`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let writer = try await link.acquireWriter(for: Sample.command)
        let reader = try await link.acquireReader(for: Sample.level)
        await scene.publication.withdraw()
        await expect(.servicesInvalidated) { for try await _ in reader.values {} }
        await expect(.servicesInvalidated) { try await writer.write([1]) }
    }

    @Test func `for notifications keeps others out until it is closed`() async throws {
        let scene = try await Scene()
        let (link, other) = (try await scene.link(), try await scene.link())
        try await other.subscribe(to: Sample.level)
        await expect(.busy) { _ = try await link.acquireReader(for: Sample.level) }
        try await other.unsubscribe(from: Sample.level)
        let reader = try await link.acquireReader(for: Sample.level)
        await expect(.busy) { try await other.subscribe(to: Sample.level) }
        await expect(.busy) { _ = try await other.notifications(of: Sample.level) }
        await expect(.busy) { _ = try await other.acquireReader(for: Sample.level) }
        try await scene.publication.update(Sample.level, to: [1])
        await reader.close()
        var values: [[UInt8]] = []
        for try await value in reader.values { values.append(value) }
        #expect(values == [[1]])
        try await other.subscribe(to: Sample.level)
        try await scene.publication.update(Sample.level, to: [2])
        #expect(await other.values(1) == [[2]])
    }

    @Test func `for notifications ends with the connection`() async throws {
        let scene = try await Scene()
        let reader = try await scene.link().acquireReader(for: Sample.level)
        await scene.air.simulateDisconnection(between: scene.central, and: scene.peripheral)
        await expect(.peerGone) { for try await _ in reader.values {} }
    }

    @Test func `needs the property, and a radio that has it`() async throws {
        let link = try await Scene().link()
        await expect(.unsupported) { _ = try await link.acquireWriter(for: Sample.level) }
        await expect(.unsupported) { _ = try await link.acquireReader(for: Sample.command) }
        var configuration = MemoryRadio.Configuration()
        configuration.features.remove(.exclusiveAccess)
        let without = try await Scene(central: configuration).link()
        await expect(.unsupported) { _ = try await without.acquireWriter(for: Sample.command) }
        await expect(.unsupported) { _ = try await without.acquireReader(for: Sample.level) }
    }
}
