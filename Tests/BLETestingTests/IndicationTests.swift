import BLE
import BLETesting
import Testing

@Suite("Indications", .timeLimit(.minutes(10)))
struct IndicationTests {
    @Test func `are confirmed when all subscribers have confirmed`() async throws {
        let scene = try await Scene()
        let links = [try await scene.link(), try await scene.link(scene.air.radio("Tablet"))]
        for link in links { try await link.subscribe(to: Sample.alert) }
        #expect(try await scene.publication.indicate(Sample.alert, to: [1]) == .confirmed)
        for link in links { #expect(await link.values(1) == [[1]]) }
    }

    @Test func `are not confirmed without a subscriber`() async throws {
        let scene = try await Scene()
        _ = try await scene.link()
        #expect(try await scene.publication.indicate(Sample.alert, to: [1]) == .unconfirmed)
    }

    @Test func `need the property`() async throws {
        let scene = try await Scene()
        await #expect {
            _ = try await scene.publication.indicate(Sample.level, to: [1])
        } throws: {
            isRadioError(.unsupported)($0)
        }
    }

    @Test func `are not confirmed when a central does not reply within 30 s`() async throws {
        let scene = try await Scene()
        let tablet = await scene.air.radio("Tablet")
        for link in [try await scene.link(), try await scene.link(tablet)] {
            try await link.subscribe(to: Sample.alert)
        }
        await tablet.simulateConfirmations(false)
        async let confirmation = scene.publication.indicate(Sample.alert, to: [1])
        await scene.clock.pass(.seconds(30))
        #expect(try await confirmation == .unconfirmed)
        await tablet.simulateConfirmations(true)
        #expect(try await scene.publication.indicate(Sample.alert, to: [2]) == .confirmed)
    }

    @Test func `are not confirmed when a central is lost`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.central.simulateConfirmations(false)
        async let confirmation = scene.publication.indicate(Sample.alert, to: [1])
        #expect(await link.values(1) == [[1]])
        await scene.air.simulateDisconnection(between: scene.central, and: scene.peripheral)
        #expect(try await confirmation == .unconfirmed)
    }

    @Test func `are sent one after the other`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.central.simulateConfirmations(false)
        let first = Task { try await scene.publication.indicate(Sample.alert, to: [1]) }
        #expect(await link.values(1) == [[1]])
        let second = Task { try await scene.publication.indicate(Sample.alert, to: [2]) }
        while await scene.air.indicationCount < 2 { await Task.yield() }
        // Is indicated as well, since there is no other way.
        try await scene.publication.update(Sample.alert, to: [3])
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        await scene.air.waitUntilDelivered()
        #expect(await scene.air.indicationCount == 2)
        await scene.central.simulateConfirmations(true)
        await scene.clock.pass(.seconds(30))
        #expect(try await first.value == .unconfirmed)
        #expect(await link.values(1) == [[3]])
    }

    @Test func `are limited`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.central.simulateConfirmations(false)
        for value in 0...256 {
            try await scene.publication.update(Sample.alert, to: [UInt8(value % 256)])
        }
        await #expect {
            _ = try await scene.publication.indicate(Sample.alert, to: [1])
        } throws: {
            isRadioError(.busy)($0)
        }
    }

    @Test func `are limited while a write is handled, too`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.responder.hold()
        let write = Task { try await link.write([1], to: Sample.level) }
        for await call in scene.responder.calls where call.contains("writes") { break }
        let waiting = (0..<256).map { _ in
            Task { try await scene.publication.indicate(Sample.alert, to: [1]) }
        }
        while await scene.air.heldValueCount < waiting.count { await Task.yield() }
        await expect(.busy) { _ = try await scene.publication.indicate(Sample.alert, to: [2]) }
        for task in waiting { task.cancel() }
        await scene.responder.release()
        try await write.value
    }

    @Test func `that the responder adds in a write are all there after it`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.central.simulateConfirmations(false)
        await scene.responder.setOnWrite { publication in
            for _ in 1...300 { try await publication.update(Sample.alert, to: [9]) }
        }
        try await link.write([1], to: Sample.level)
        #expect(await scene.air.indicationCount == 300)
    }

    @Test func `fail when the publication ends`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.central.simulateConfirmations(false)
        let indication = Task { try await scene.publication.indicate(Sample.alert, to: [1]) }
        #expect(await link.values(1) == [[1]])
        await scene.publication.withdraw()
        await #expect {
            _ = try await indication.value
        } throws: {
            isRadioError(.withdrawn)($0)
        }
    }
}
