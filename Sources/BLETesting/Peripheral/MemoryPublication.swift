internal import BLE

/// Services that a radio has published.
final class MemoryPublication: Publication {
    private let number: Int
    private let air: MemoryAir

    init(_ number: Int, in air: MemoryAir) {
        self.number = number
        self.air = air
    }

    func update(_ characteristic: AttributeID, to value: [UInt8]) async throws {
        try await air.update(characteristic, to: value, of: number)
    }

    func indicate(
        _ characteristic: AttributeID,
        to value: [UInt8]
    ) async throws -> Confirmation {
        try await air.indicate(characteristic, to: value, of: number)
    }

    func notify(
        _ value: [UInt8],
        to central: PeerID,
        of characteristic: AttributeID
    ) async throws {
        try await air.notify(value, to: central, of: characteristic, of: number)
    }

    func mtuBytes(of central: PeerID) async -> Int? {
        await air.mtuBytes(of: central, number)
    }

    func smallestMTUBytes(of characteristic: AttributeID) async -> Int? {
        await air.smallestMTUBytes(of: characteristic, number)
    }

    func disconnect(_ central: PeerID) async throws {
        try await air.disconnect(central, from: number)
    }

    func withdraw() async {
        await air.withdraw(number)
    }
}

extension MemoryAir {
    fileprivate func mtuBytes(of central: PeerID, _ publication: Int) -> Int? {
        guard let radio = publications[publication]?.radio else { return nil }
        return ends[Route(from: radio, to: central)]?.client.mtuBytes
    }

    fileprivate func smallestMTUBytes(of id: AttributeID, _ publication: Int) -> Int? {
        let subscribers = publications[publication]?.subscribers[id] ?? []
        return subscribers.compactMap { mtuBytes(of: $0, publication) }.min()
    }
}
