import BLE
import BLETesting
import Testing

@testable import BLESession

/// A central that connects, and what the system has kept of a peripheral's services.
@Suite("A link that is prepared", .timeLimit(.minutes(10)))
struct PreparingTests {
    private static let old = GATTService(
        uuid: "1820",
        characteristics: [GATTCharacteristic(uuid: "2A19", properties: [.read])]
    )
    private static let new = GATTService(
        uuid: "1821",
        characteristics: [GATTCharacteristic(uuid: "2A20", properties: [.read])]
    )
    private static let level = AttributeID(service: "1820", characteristic: "2A19")

    private struct Missing: Error {}

    private struct Scene {
        let air = MemoryAir()
        let central: MemoryRadio
        let peripheral: MemoryRadio
        var publication: any Publication

        /// A peripheral that is known, with some services.
        init(_ services: GATTService) async throws {
            central = await air.radio("Phone")
            peripheral = await air.radio("Torch")
            publication = try await Self.publish(services, on: peripheral)
            for try await case .seen in try await central.scan(ScanFilter()) { break }
        }

        /// The peripheral has other services from now on.
        mutating func change(to services: GATTService) async throws {
            await publication.withdraw()
            publication = try await Self.publish(services, on: peripheral)
        }

        private static func publish(
            _ service: GATTService,
            on radio: MemoryRadio
        ) async throws -> any Publication {
            try await radio.publish(
                service,
                advertising: Advertisement(localName: "Torch", serviceUUIDs: []),
                responder: Responder()
            )
        }

        /// - Returns: the first service, and how many connections there were.
        func prepare(
            _ needed: BluetoothUUID,
            _ prepare: @escaping @Sendable (any Link) async throws -> Void = { _ in }
        ) async throws -> (service: BluetoothUUID?, count: Int) {
            var count = 0
            let (link, service) = try await central.prepareLink(
                to: peripheral.peer,
                where: { $0.map(\.uuid).contains(needed) },
                didConnect: { count += 1 },
                { link, services in
                    try await prepare(link)
                    guard services.first?.uuid == needed else { throw Missing() }
                    return (link, services.first?.uuid)
                }
            )
            await link.disconnect()
            return (service, count)
        }
    }

    private struct Responder: GATTResponder {
        func read(
            _ characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) -> [UInt8] { [7] }

        func handle(_ event: PublicationEvent) async {}
    }

    @Test func `has services that are discovered once when they are what is needed`() async throws {
        let scene = try await Scene(Self.new)
        let (service, count) = try await scene.prepare("1821")
        #expect(service == "1821" && count == 1)
    }

    @Test func `has others than the system kept when those are not what is needed`() async throws {
        var scene = try await Scene(Self.old)
        await scene.central.simulateKeptServices(of: scene.peripheral)
        try await scene.change(to: Self.new)
        let (service, count) = try await scene.prepare("1821")
        #expect(service == "1821" && count == 2)
    }

    @Test func `has others than the system kept when the peer refuses one with 0x01`() async throws
    {
        var scene = try await Scene(Self.old)
        await scene.central.simulateKeptServices(of: scene.peripheral)
        try await scene.change(to: Self.old)
        let (service, count) = try await scene.prepare("1820") { link in
            let value = try await link.read(Self.level)
            #expect(value == [7])
        }
        #expect(service == "1820" && count == 2)
    }

    @Test func `is not made again where nothing was kept`() async throws {
        let scene = try await Scene(Self.old)
        await #expect(throws: Missing.self) { _ = try await scene.prepare("1821") }
        await expect(.missingAttribute) {
            _ = try await scene.prepare("1820") {
                _ = try await $0.read(AttributeID(service: "1821", characteristic: "2A20"))
            }
        }
        // Each was disconnected.
        let room = MemoryRadio.Configuration().connectionCount
        for _ in 0...room {
            await #expect(throws: Missing.self) { _ = try await scene.prepare("1821") }
        }
    }

    @Test func `fails after the second time`() async throws {
        let scene = try await Scene(Self.old)
        await scene.central.simulateKeptServices(of: scene.peripheral)
        var count = 0
        await #expect(throws: Missing.self) {
            try await scene.central.prepareLink(
                to: scene.peripheral.peer,
                where: { _ in false },
                didConnect: { count += 1 },
                { _, _ in throw Missing() }
            )
        }
        #expect(count == 2)
    }

    @Test func `shows what the system kept while another link uses the connection`() async throws {
        var scene = try await Scene(Self.old)
        await scene.central.simulateKeptServices(of: scene.peripheral)
        try await scene.change(to: Self.new)
        let other = try await scene.central.connect(to: scene.peripheral.peer)
        await #expect(throws: Missing.self) { _ = try await scene.prepare("1821") }
        #expect(try await other.discoverServices().map(\.uuid) == ["1820"])
    }
}

private func expect(
    _ code: RadioError.Code,
    _ work: () async throws -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) async {
    await #expect(sourceLocation: sourceLocation) {
        try await work()
    } throws: {
        ($0 as? RadioError)?.code == code
    }
}
