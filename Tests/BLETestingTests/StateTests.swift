import BLE
import BLETesting
import Testing

@Suite("A radio's state", .timeLimit(.minutes(10)))
struct StateTests {
    @Test func `is reported now and after each change, until the radio is closed`() async throws {
        let radio = await MemoryAir(clock: ManualClock()).radio("A")
        var states = await radio.states().makeAsyncIterator()
        #expect(await states.next() == .on)
        await radio.simulatePowerOff()
        #expect(await states.next() == .off)
        await radio.simulateUnplugging()
        #expect(await states.next() == .absent)
        await radio.simulateServiceEnd()
        await radio.simulatePowerOn()
        #expect(await states.next() == .on)
        await radio.simulatePowerOff()
        await radio.simulatePowerOn()
        #expect(await states.next() == .on)
        await radio.close()
        #expect(await states.next() == .absent)
        #expect(await states.next() == nil)
        await radio.simulatePowerOn()
        #expect(await radio.state == .absent)
        var later = await radio.states().makeAsyncIterator()
        #expect(await later.next() == .absent)
        #expect(await later.next() == nil)
    }

    /// What may happen to a radio.
    enum Fate: CaseIterable {
        case off, unplugged, withoutService, closed

        var code: RadioError.Code {
            switch self {
            case .off: .off
            case .unplugged, .closed: .absent
            case .withoutService: .noService
            }
        }

        func happen(to radio: MemoryRadio) async {
            switch self {
            case .off: await radio.simulatePowerOff()
            case .unplugged: await radio.simulateUnplugging()
            case .withoutService: await radio.simulateServiceEnd()
            case .closed: await radio.close()
            }
        }
    }

    @Test(arguments: Fate.allCases)
    func `ends what a central does`(fate: Fate) async throws {
        let code = fate.code
        let scene = try await Scene()
        let link = try await scene.link()
        let scan = try await scene.central.scan(ScanFilter())
        await scene.peripheral.simulateReplies(false)
        let read = Task { try await link.read(Sample.level) }
        await fate.happen(to: scene.central)
        if fate == .closed {
            for try await _ in scan {}
        } else {
            await expect(code) { for try await _ in scan {} }
        }
        let end = fate == .closed ? "here" : "\(code)"
        #expect(await link.allEvents() == ["disconnected \(end)"])
        await #expect(throws: RadioError.self) { _ = try await read.value }
        await expect(code) { _ = try await scene.central.scan(ScanFilter()) }
        await expect(code) { _ = try await scene.central.connect(to: scene.peripheral.peer) }
        let calls = try await scene.responder.calls.first(3)
        #expect(calls.last == "Phone disconnected")
    }

    @Test func `ends publications and advertisements without an error when it is closed`()
        async throws
    {
        let scene = try await Scene()
        let advertising = try await scene.peripheral.advertise(Sample.advertisement)
        let link = try await scene.link()
        await scene.peripheral.close()
        #expect(await link.allEvents() == ["disconnected peerGone"])
        try await advertising.waitUntilEnded()
        await expect(.withdrawn) { try await scene.publication.update(Sample.level, to: [1]) }
        let lamp = await scene.air.radio("Lamp")
        _ = try await lamp.publish(Sample.gatt, advertising: nil, responder: scene.responder)
        let calls = try await scene.responder.calls.first(4)
        #expect(calls.suffix(2) == ["Phone disconnected", "published"])
    }

    @Test(arguments: [Fate.unplugged, .withoutService])
    func `ends publications when the radio is gone`(fate: Fate) async throws {
        let code = fate.code
        let scene = try await Scene()
        let link = try await scene.link()
        await fate.happen(to: scene.peripheral)
        #expect(await link.allEvents() == ["disconnected peerGone"])
        let calls = try await scene.responder.calls.first(4)
        #expect(calls.suffix(2) == ["Phone disconnected", "ended \(code)"])
        await expect(.withdrawn) { try await scene.publication.update(Sample.level, to: [1]) }
        await expect(code) {
            _ = try await scene.peripheral.publish(
                Sample.gatt,
                advertising: nil,
                responder: scene.responder
            )
        }
    }

    @Test func `keeps publications while the radio is off`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.peripheral.simulatePowerOff()
        #expect(await link.allEvents() == ["disconnected peerGone"])
        let scan = try await scene.central.scan(ScanFilter())
        await scene.air.waitUntilDelivered()
        await scene.peripheral.simulatePowerOn()
        _ = try await scan.first(1)
        _ = try await scene.link().read(Sample.level)
    }

    @Test func `ends publications with the power where they are not kept`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.keepsPublicationsWhenOff = false
        let scene = try await Scene(peripheral: configuration)
        await scene.peripheral.simulatePowerOff()
        #expect(try await scene.responder.calls.first(2).last == "ended off")
    }

    @Test func `is the same when a radio is asked for twice`() async throws {
        let air = MemoryAir(clock: ManualClock())
        await air.radio("A").simulatePowerOff()
        #expect(await air.radio("A").state == .off)
        #expect(await air.radio("B").state == .on)
        #expect(await air.radio("A").capabilities.features.contains(.writeKinds))
    }
}
