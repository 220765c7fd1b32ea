import BLE
import BLETesting
import Testing

@Suite("Advertising", .timeLimit(.minutes(10)))
struct AdvertisingTests {
    private let clock = ManualClock()

    private func radios(
        _ configuration: MemoryRadio.Configuration = .init()
    ) async -> (central: MemoryRadio, peripheral: MemoryRadio) {
        let air = MemoryAir(clock: clock)
        return (await air.radio("Phone"), await air.radio("Torch", configuration))
    }

    @Test func `says how many advertisements there are when there is no room`() async throws {
        var configuration = MemoryRadio.Configuration()
        configuration.advertisementCount = 2
        let (_, peripheral) = await radios(configuration)
        let first = try await peripheral.advertise(Sample.advertisement)
        let second = try await peripheral.advertise(Sample.advertisement)
        await #expect {
            _ = try await peripheral.advertise(Sample.advertisement)
        } throws: {
            isRadioError(.limitReached)($0) && "\($0)".contains("2 of 2")
        }
        try await first.pause()
        #expect(await peripheral.capabilities.freeAdvertisementCount == 1)
        let third = try await peripheral.advertise(Sample.advertisement)
        await expect(.limitReached) { try await first.resume() }
        await third.stop()
        try await first.resume()
        await second.stop()
        #expect(await peripheral.capabilities.freeAdvertisementCount == 1)
        #expect(await peripheral.capabilities.advertisementCount == 2)
    }

    @Test func `can be changed, paused, resumed and stopped`() async throws {
        let (central, peripheral) = await radios()
        let advertising = try await peripheral.advertise(Sample.advertisement)
        let scan = try await central.scan(ScanFilter())
        func name() async throws -> String? {
            guard case .seen(let sighting) = try await scan.first(1).first else { return nil }
            return sighting.name
        }
        #expect(try await name() == "Torch")
        try await advertising.update(Advertisement(localName: "Lamp", serviceUUIDs: []))
        #expect(try await name() == "Lamp")
        try await advertising.pause()
        try await advertising.pause()
        #expect(await peripheral.air.timerCount == 0)
        try await advertising.update(Advertisement(localName: "Bulb", serviceUUIDs: []))
        await peripheral.air.waitUntilDelivered()
        try await advertising.resume()
        try await advertising.resume()
        #expect(try await name() == "Bulb")
        await advertising.stop()
        await advertising.stop()
        try await advertising.waitUntilEnded()
        #expect(await peripheral.air.timerCount == 0)
        await expect(.withdrawn) { try await advertising.resume() }
    }

    @Test func `refuses what does not fit, and keeps what was advertised`() async throws {
        let (central, peripheral) = await radios()
        let advertising = try await peripheral.advertise(Sample.advertisement)
        let long = Advertisement(
            localName: String(repeating: "x", count: 30),
            serviceUUIDs: []
        )
        await expect(.invalidAdvertisement) { try await advertising.update(long) }
        await expect(.invalidAdvertisement) { _ = try await peripheral.advertise(long) }
        #expect(try await central.see(peripheral).name == "Torch")
        #expect(await peripheral.capabilities.freeAdvertisementCount == 4)
    }

    @Test func `ends with the radio's removal, not with its being off`() async throws {
        let (central, peripheral) = await radios()
        let advertising = try await peripheral.advertise(Sample.advertisement)
        let scan = try await central.scan(ScanFilter())
        _ = try await scan.first(1)
        await peripheral.simulatePowerOff()
        #expect(await peripheral.air.timerCount == 0)
        await peripheral.simulatePowerOn()
        try await central.see(peripheral)
        let end = Task { try await advertising.waitUntilEnded() }
        await peripheral.simulateUnplugging()
        await #expect {
            try await end.value
        } throws: {
            isRadioError(.absent)($0)
        }
        await expect(.absent) { try await advertising.waitUntilEnded() }
        await expect(.withdrawn) { try await advertising.update(Sample.advertisement) }
    }

    @Test func `that has ended is forgotten once nobody can ask for its end`() async throws {
        let (_, peripheral) = await radios()
        let kept = try await peripheral.advertise(Sample.advertisement)
        await kept.stop()
        for _ in 0..<10 {
            let advertising = try await peripheral.advertise(Sample.advertisement)
            await advertising.stop()
        }
        // That one, and the last, until another begins.
        #expect(await peripheral.air.recordedAdvertisementCount == 2)
        try await kept.waitUntilEnded()
        await expect(.withdrawn) { try await kept.resume() }
    }

    @Test func `runs no timers while nobody scans`() async throws {
        let (central, peripheral) = await radios()
        _ = try await peripheral.advertise(Sample.advertisement)
        #expect(await peripheral.air.timerCount == 0)
        try await central.see(peripheral)
        while await peripheral.air.timerCount > 0 { await Task.yield() }
    }
}
