internal import BLE
internal import BLEDBus

/// A link to a remote device, one of those over its connection.
final class RemoteLink: Link {
    let device: RemoteDevice
    let events: AsyncStream<LinkEvent>
    private let lease: Int

    init(to device: RemoteDevice, _ lease: Int, _ events: AsyncStream<LinkEvent>) {
        self.device = device
        self.lease = lease
        self.events = events
    }

    var peer: PeerID { device.peer }

    var services: [GATTService] {
        get async { await device.services(of: lease) }
    }

    var mtuBytes: Int {
        get async { await device.remote.mtuBytes }
    }

    func discoverServices() async throws -> [GATTService] {
        try await device.discoverServices(by: lease)
    }

    func read(_ characteristic: AttributeID) async throws -> [UInt8] {
        try await device.read(characteristic, by: lease)
    }

    func write(_ value: [UInt8], to characteristic: AttributeID) async throws {
        try await device.write(value, to: characteristic, .withResponse, by: lease)
    }

    func writeWithoutResponse(
        _ value: [UInt8],
        to characteristic: AttributeID
    ) async throws {
        try await device.write(value, to: characteristic, .withoutResponse, by: lease)
    }

    func maximumWriteByteCount(_ kind: WriteKind) async -> Int {
        await device.maximumWriteByteCount(kind)
    }

    func read(_ descriptor: DescriptorID) async throws -> [UInt8] {
        try await device.read(descriptor, by: lease)
    }

    func write(_ value: [UInt8], to descriptor: DescriptorID) async throws {
        try await device.write(value, to: descriptor, by: lease)
    }

    func subscribe(to characteristic: AttributeID) async throws {
        try await device.subscribe(to: characteristic, by: lease)
    }

    func unsubscribe(from characteristic: AttributeID) async throws {
        try await device.unsubscribe(from: characteristic, by: lease)
    }

    func notifications(
        of characteristic: AttributeID
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        try await device.notifications(of: characteristic, by: lease)
    }

    func acquireWriter(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicWriter {
        try await device.acquireWriter(for: characteristic, by: lease)
    }

    func acquireReader(
        for characteristic: AttributeID
    ) async throws -> any CharacteristicReader {
        try await device.acquireReader(for: characteristic, by: lease)
    }

    func forgetServices() async -> Bool { await device.forgetServices(lease) }

    func disconnect() async {
        await device.disconnect(lease)
    }
}
