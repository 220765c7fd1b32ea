internal import BLE

/// An advertisement apart from what is published.
final class MemoryAdvertising: Advertising {
    private let number: Int
    private let air: MemoryAir

    init(_ number: Int, in air: MemoryAir) {
        self.number = number
        self.air = air
    }

    func update(_ advertisement: Advertisement) async throws {
        try await air.update(number, to: advertisement)
    }

    func pause() async throws { try await air.pause(number) }

    func resume() async throws { try await air.resume(number) }

    func stop() async { await air.endAdvertisement(number, nil) }

    func waitUntilEnded() async throws { try await air.waitUntilEnded(number) }
}
