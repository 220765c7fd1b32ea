internal import BLE

/// A link of one radio to another.
final class MemoryLink: Link {
    let number: Int
    /// From this radio to its peer.
    let route: Route
    let events: AsyncStream<LinkEvent>
    private let air: MemoryAir

    init(_ number: Int, on route: Route, _ events: AsyncStream<LinkEvent>, in air: MemoryAir) {
        self.number = number
        self.route = route
        self.events = events
        self.air = air
    }

    var peer: PeerID { route.to }

    var services: [GATTService] {
        get async { await air.services(of: self) }
    }

    var mtuBytes: Int {
        get async { await air.ends[route]?.client.mtuBytes ?? 23 }
    }

    func discoverServices() async throws -> [GATTService] {
        try await air.discoverServices(by: self)
    }

    func read(_ characteristic: AttributeID) async throws -> [UInt8] {
        try await air.read(characteristic, by: self).value
    }

    func write(_ value: [UInt8], to characteristic: AttributeID) async throws {
        try await air.write(value, to: characteristic, by: self)
    }

    func writeWithoutResponse(_ value: [UInt8], to characteristic: AttributeID) async throws {
        try await air.writeWithoutResponse(value, to: characteristic, by: self)
    }

    func maximumWriteByteCount(_ kind: WriteKind) async -> Int {
        await air.maximumWriteByteCount(kind, self)
    }

    func read(_ descriptor: DescriptorID) async throws -> [UInt8] {
        try await air.read(descriptor, by: self).value
    }

    func write(_ value: [UInt8], to descriptor: DescriptorID) async throws {
        try await air.write(value, to: descriptor, by: self)
    }

    func subscribe(to characteristic: AttributeID) async throws {
        try await air.subscribe(to: characteristic, by: self)
    }

    func unsubscribe(from characteristic: AttributeID) async throws {
        try await air.unsubscribe(from: characteristic, by: self)
    }

    func notifications(
        of characteristic: AttributeID
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        try await air.notifications(of: characteristic, by: self)
    }

    func acquireWriter(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicWriter {
        try await air.acquireWriter(for: characteristic, by: self)
    }

    func acquireReader(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicReader {
        try await air.acquireReader(for: characteristic, by: self)
    }

    func forgetServices() async -> Bool { await air.forgetServices(of: self) }

    func disconnect() async {
        await air.waitToDisconnect(from: route.from)
        await air.leave(number, on: route)
    }
}

extension ATTResponse {
    fileprivate var value: [UInt8] {
        if case .value(let value, _) = self { value } else { [] }
    }
}
