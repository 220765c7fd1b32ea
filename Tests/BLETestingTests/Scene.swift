import BLE
import BLETesting
import Testing

/// A service with a characteristic of each kind.
enum Sample {
    static let service: BluetoothUUID = "1820"
    static let level = AttributeID(service: service, characteristic: "2A19")
    static let command = AttributeID(service: service, characteristic: "2A20")
    static let alert = AttributeID(service: service, characteristic: "2A21")
    static let second = AttributeID(service: service, characteristic: "2A19", instance: 1)
    static let label = DescriptorID(characteristic: level, descriptor: "2901")

    static let gatt = GATTService(
        uuid: service,
        characteristics: [
            GATTCharacteristic(
                uuid: "2A19",
                properties: [.read, .write, .notify],
                descriptors: [.userDescription("Level")]
            ),
            GATTCharacteristic(uuid: "2A20", properties: [.writeWithoutResponse]),
            GATTCharacteristic(uuid: "2A21", properties: [.indicate]),
            GATTCharacteristic(uuid: "2A19", properties: [.read, .write, .notify]),
        ]
    )

    static let advertisement = Advertisement(localName: "Torch", serviceUUIDs: [service])
}

/// A peripheral with a publication, and a central, on a clock that stands still.
struct Scene {
    let clock = ManualClock()
    let air: MemoryAir
    let central: MemoryRadio
    let peripheral: MemoryRadio
    let responder = ScriptedResponder()
    let publication: any Publication

    init(
        seed: UInt64? = nil,
        _ services: [GATTService] = [Sample.gatt],
        options: PublicationOptions = [],
        central centralConfiguration: MemoryRadio.Configuration = .init(),
        peripheral configuration: MemoryRadio.Configuration = .init()
    ) async throws {
        air = MemoryAir(seed: seed, clock: clock)
        central = await air.radio("Phone", centralConfiguration)
        peripheral = await air.radio("Torch", configuration)
        publication = try await peripheral.publish(
            services,
            advertising: Sample.advertisement,
            options: options,
            responder: responder
        )
    }

    /// A link whose services are discovered.
    func link(_ radio: MemoryRadio? = nil) async throws -> any Link {
        let radio = radio ?? central
        try await radio.see(peripheral)
        let link = try await radio.connect(to: peripheral.peer)
        _ = try await link.discoverServices()
        return link
    }
}

extension MemoryRadio {
    /// Scans until a radio has been seen.
    @discardableResult
    func see(_ other: MemoryRadio) async throws -> Sighting {
        for try await case .seen(let sighting) in try await scan(ScanFilter())
        where sighting.peer == other.peer {
            return sighting
        }
        throw CancellationError()
    }
}

/// Whether an error is a radio's, with a code.
func isRadioError(_ code: RadioError.Code) -> @Sendable (any Error) -> Bool {
    { ($0 as? RadioError)?.code == code }
}

/// Expects a radio's error with a code.
func expect(
    _ code: RadioError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    await #expect(sourceLocation: sourceLocation) {
        try await body()
    } throws: {
        isRadioError(code)($0)
    }
}

extension AsyncSequence {
    /// The first elements.
    func first(_ count: Int) async throws -> [Element] {
        var elements: [Element] = []
        guard count > 0 else { return [] }
        for try await element in self {
            elements.append(element)
            if elements.count == count { break }
        }
        return elements
    }
}

extension Link {
    /// All events until the link ends, as text.
    func allEvents() async -> [String] {
        var all: [String] = []
        for await event in events { all.append(event.text) }
        return all
    }

    /// The next values, from all characteristics.
    func values(_ count: Int) async -> [[UInt8]] {
        var values: [[UInt8]] = []
        guard count > 0 else { return [] }
        for await case .notification(_, let value) in events {
            values.append(value)
            if values.count == count { break }
        }
        return values
    }
}

extension LinkEvent {
    var text: String {
        switch self {
        case .notification(let id, let value): "\(value) of \(id.characteristic) \(id.instance)"
        case .servicesInvalidated(let services): "invalidated \(services.count)"
        case .mtuChanged(let bytes): "MTU \(bytes)"
        case .disconnected(let error): "disconnected \(error?.code.description ?? "here")"
        }
    }
}
