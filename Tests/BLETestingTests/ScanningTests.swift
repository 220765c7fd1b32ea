import BLE
import BLETesting
import Testing

@Suite("Scanning", .timeLimit(.minutes(10)))
struct ScanningTests {
    private func next(
        _ events: AsyncThrowingStream<ScanEvent, any Error>
    ) async throws -> Sighting? {
        for try await case .seen(let sighting) in events { return sighting }
        return nil
    }

    @Test func `reports an advertisement at once and after each interval`() async throws {
        let scene = try await Scene()
        let events = try await scene.central.scan(ScanFilter())
        let first = try #require(try await next(events))
        #expect(first.peer == scene.peripheral.peer)
        #expect(first.name == "Torch" && first.serviceUUIDs == [Sample.service])
        #expect(first.rssi == RSSI(-50) && first.isConnectable == true)
        for _ in 0..<3 {
            await scene.clock.pass(.milliseconds(100))
            let later = try #require(try await next(events))
            #expect(later.time! > first.time!)
        }
    }

    @Test func `tells radios by addresses of their own, however many there are`() async {
        let air = MemoryAir(clock: ManualClock())
        for number in 0..<300 { _ = await air.radio("\(number)") }
        let addresses = await air.addresses
        #expect(addresses.count == 300 && Set(addresses).count == 300)
    }

    @Test func `heeds an advertisement's interval where the radio does`() async throws {
        for isHeeded in [true, false] {
            var configuration = MemoryRadio.Configuration()
            if !isHeeded { configuration.features.remove(.advertisingIntervals) }
            let clock = ManualClock()
            let air = MemoryAir(clock: clock)
            let peripheral = await air.radio("Torch", configuration)
            var advertisement = Sample.advertisement
            advertisement.interval = .seconds(1) ... .seconds(2)
            _ = try await peripheral.advertise(advertisement)
            let scan = try await air.radio("Phone").scan(ScanFilter())
            await clock.waitForSleeper(for: isHeeded ? .seconds(1) : .milliseconds(100))
            _ = scan
        }
    }

    @Test(arguments: [
        (ScanFilter(service: Sample.service), true), (ScanFilter(service: "180F"), false),
        (ScanFilter(services: ["180F", Sample.service]), true),
        (ScanFilter(name: "Torch"), true), (ScanFilter(name: "Torc"), false),
        (ScanFilter(rssi: RSSI(-60)...RSSI(-40)), true),
        (ScanFilter(rssi: RSSI(-40)...RSSI(0)), false),
    ])
    func `reports whom its filter admits`(filter: ScanFilter, isAdmitted: Bool) async throws {
        let scene = try await Scene()
        let scan = try await scene.central.scan(filter)
        await scene.air.waitUntilDelivered()
        await scene.central.close()
        var count = 0
        for try await _ in scan { count += 1 }
        #expect(count == (isAdmitted ? 1 : 0))
    }

    @Test func `applies each scan's own filter`() async throws {
        let scene = try await Scene()
        let other = try await scene.central.scan(ScanFilter(name: "Lamp"))
        _ = try await scene.central.scan(ScanFilter(name: "Torch")).first(1)
        let lamp = await scene.air.radio("Lamp")
        _ = try await lamp.advertise(Advertisement(localName: "Lamp", serviceUUIDs: []))
        guard case .seen(let sighting) = try await other.first(1).first else {
            return #expect(Bool(false), "the lamp was not seen")
        }
        #expect(sighting.peer == lamp.peer)
    }

    @Test func `reports a peer that was dropped, which cannot be connected to then`() async throws {
        let scene = try await Scene()
        let scan = try await scene.central.scan(ScanFilter())
        _ = try await next(scan)
        await scene.central.simulateForgetting(scene.peripheral)
        #expect(try await scan.first(1) == [.lost(scene.peripheral.peer)])
        await #expect {
            _ = try await scene.central.connect(to: scene.peripheral.peer)
        } throws: {
            isRadioError(.unknownPeer)($0)
        }
        await scene.clock.pass(.milliseconds(100))
        _ = try await next(scan)
        _ = try await scene.central.connect(to: scene.peripheral.peer)
    }

    @Test func `does not make known whom it does not report`() async throws {
        let scene = try await Scene()
        let scan = try await scene.central.scan(ScanFilter(name: "Lamp"))
        await scene.air.waitUntilDelivered()
        await #expect {
            _ = try await scene.central.connect(to: scene.peripheral.peer)
        } throws: {
            isRadioError(.unknownPeer)($0)
        }
        _ = scan
    }

    @Test func `keeps the 256 latest events for a slow consumer`() async throws {
        let scene = try await Scene()
        let scan = try await scene.central.scan(ScanFilter())
        let advertising = try await scene.peripheral.advertise(Sample.advertisement)
        await scene.air.waitUntilDelivered()
        for number in 1...300 {
            var advertisement = Sample.advertisement
            advertisement.appearance = UInt16(number)
            try await advertising.update(advertisement)
        }
        await scene.air.waitUntilDelivered()
        let appearances = try await scan.first(256).map(\.appearance)
        #expect(appearances == (45...300).map { UInt16($0) })
    }

    @Test func `combines an advertisement with what earlier ones have said`() async throws {
        let scene = try await Scene()
        let scan = try await scene.central.scan(ScanFilter())
        var advertisement = Advertisement(serviceUUIDs: [])
        advertisement.manufacturerData = [0x004C: [1, 2]]
        advertisement.includesTxPower = true
        _ = try await scene.peripheral.advertise(advertisement)
        guard case .seen(let sighting) = try await scan.first(2).last else { return }
        #expect(sighting.name == "Torch" && sighting.serviceUUIDs == [Sample.service])
        #expect(sighting.manufacturerData == [0x004C: [1, 2]] && sighting.txPower == 0)
    }

    @Test func `does not say who is connectable where the system does not`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.features.remove(.connectability)
        let scene = try await Scene(central: configuration)
        #expect(try await scene.central.see(scene.peripheral).isConnectable == nil)
    }

    @Test func `tells signal strengths, and receives nobody who is out of reach`() async throws {
        let scene = try await Scene()
        let (central, peripheral) = (scene.central, scene.peripheral)
        await scene.air.simulateProximityChange(to: RSSI(-80), between: peripheral, and: central)
        #expect(try await central.see(peripheral).rssi == RSSI(-80))
        await scene.air.simulateProximityChange(to: nil, between: central, and: peripheral)
        let scan = try await central.scan(ScanFilter())
        await scene.air.waitUntilDelivered()
        await scene.air.simulateProximityChange(to: RSSI(-70), between: central, and: peripheral)
        await scene.clock.pass(.milliseconds(100))
        guard case .seen(let sighting) = try await scan.first(1).first else { return }
        #expect(sighting.rssi == RSSI(-70), "an advertisement from out of reach was received")
    }
}

extension ScanEvent {
    fileprivate var appearance: UInt16? {
        if case .seen(let sighting) = self { sighting.appearance } else { nil }
    }
}
