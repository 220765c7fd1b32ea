import BLE
import BLETesting
import Testing

// The examples of BLETesting.docc and of the symbols; that they compile and pass is the test.

/// The program that is tested.
private func readLevel(over radio: some CentralRadio) async throws -> UInt8? {
    for try await case .seen(let sighting) in try await radio.scan(ScanFilter(service: "180F")) {
        let link = try await radio.connect(to: sighting.peer)
        _ = try await link.discoverServices()
        let value = try await link.read(AttributeID(service: "180F", characteristic: "2A19"))
        await link.disconnect()
        return value.first
    }
    return nil
}

private struct Torch: GATTResponder {
    func read(_: AttributeID, _: GATTRequest) async throws(ATTError) -> [UInt8] { [87] }
}

private func answer(to limit: Duration, on clock: some Clock<Duration>) async throws -> Bool {
    try await clock.sleep(for: limit)
    return false
}

@Suite("The documentation", .timeLimit(.minutes(10)))
struct DocumentationExamples {
    @Test func `reads the level`() async throws {
        let air = MemoryAir(clock: ManualClock())
        let battery = GATTService(
            uuid: "180F",
            characteristics: [GATTCharacteristic(uuid: "2A19", properties: [.read])]
        )
        let publication = try await air.radio("Torch").publish(
            battery,
            advertising: Advertisement(localName: "Torch", serviceUUIDs: ["180F"]),
            responder: Torch()
        )
        #expect(try await readLevel(over: air.radio("Phone")) == 87)
        await publication.withdraw()
    }

    @Test func `passes time`() async throws {
        let clock = ManualClock()
        async let answer = answer(to: .seconds(30), on: clock)
        await clock.waitForSleeper(for: .seconds(30))
        await clock.advance(by: .seconds(30))
        #expect(try await answer == false)
    }

    @Test func `takes a feature away`() async {
        let air = MemoryAir()
        var configuration = MemoryRadio.Configuration()
        configuration.features.remove(.namedSubscribers)
        let radio = await air.radio("A", configuration)
        #expect(await !radio.capabilities.features.contains(.namedSubscribers))
    }
}
