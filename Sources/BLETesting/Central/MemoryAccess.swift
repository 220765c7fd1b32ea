internal import BLE

/// A link's exclusive access to a characteristic, for writing.
final class MemoryWriter: CharacteristicWriter {
    let target: Target
    let id: AttributeID
    let holder: ExclusiveAccess.Holder
    let maximumByteCount: Int
    let link: MemoryLink
    private let air: MemoryAir

    init(
        _ target: Target,
        _ id: AttributeID,
        _ holder: ExclusiveAccess.Holder,
        _ maximumByteCount: Int,
        _ link: MemoryLink,
        in air: MemoryAir
    ) {
        self.target = target
        self.id = id
        self.holder = holder
        self.maximumByteCount = maximumByteCount
        self.link = link
        self.air = air
    }

    func write(_ value: [UInt8]) async throws { try await air.write(value, by: self) }

    func close() async { await air.endWriting(to: target, holder, on: link.route) }

    deinit {
        Task { [air, target, holder, route = link.route] in
            await air.endWriting(to: target, holder, on: route)
        }
    }
}

/// A link's exclusive access to a characteristic's notifications.
final class MemoryReader: CharacteristicReader {
    let values: AsyncThrowingStream<[UInt8], any Error>
    /// The number of the subscription.
    let number: Int
    let link: MemoryLink
    private let stream: AsyncThrowingStream<[UInt8], any Error>.Continuation
    private let air: MemoryAir

    init(
        _ values: AsyncThrowingStream<[UInt8], any Error>,
        _ stream: AsyncThrowingStream<[UInt8], any Error>.Continuation,
        _ number: Int,
        _ link: MemoryLink,
        in air: MemoryAir
    ) {
        self.values = values
        self.stream = stream
        self.number = number
        self.link = link
        self.air = air
    }

    func close() async {
        await air.close(self)
        stream.finish()
    }
}
