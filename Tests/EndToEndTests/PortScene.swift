import BLE
import BLEDBus
import BlueZ
import Testing

/// Two adapters as radios: hci0 connects, hci1 serves all that a characteristic can be.
struct PortScene {
    static let service: BluetoothUUID = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
    static let input = AttributeID(
        service: service,
        characteristic: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
    )
    static let output = AttributeID(
        service: service,
        characteristic: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"
    )
    static let confirmed = AttributeID(
        service: service,
        characteristic: "6E400004-B5A3-F393-E0A9-E50E24DCCA9E"
    )
    static let level = AttributeID(service: "180F", characteristic: "2A19")
    static let secondLevel = AttributeID(service: "180F", characteristic: "2A19", instance: 1)
    static let services = [
        GATTService(
            uuid: service,
            characteristics: [
                GATTCharacteristic(
                    uuid: input.characteristic,
                    properties: [.write, .writeWithoutResponse],
                    descriptors: [.userDescription("In")]
                ),
                GATTCharacteristic(uuid: output.characteristic, properties: .notify),
                GATTCharacteristic(uuid: confirmed.characteristic, properties: .indicate),
            ]
        ),
        GATTService(
            uuid: level.service,
            characteristics: [
                GATTCharacteristic(uuid: level.characteristic, properties: [.read, .notify]),
                GATTCharacteristic(uuid: level.characteristic, properties: .read),
            ]
        ),
    ]

    private let bus: BusAddress
    let central: Adapter
    let serving: Adapter
    let responder = CountingResponder()

    init(in world: any World) async throws {
        bus = world.bus
        central = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
        serving = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
    }

    func publish(
        _ options: PublicationOptions = .lostRefusals
    ) async throws -> any Publication {
        try await serving.publish(
            Self.services,
            advertising: Advertisement(localName: "Port", serviceUUIDs: [Self.service]),
            options: options,
            responder: responder
        )
    }

    /// Who serves, as a radio discovers it.
    func find(
        _ filter: ScanFilter = ScanFilter(service: service),
        by radio: Adapter? = nil
    ) async throws -> Sighting {
        for try await case .seen(let sighting) in try await (radio ?? central).scan(filter) {
            return sighting
        }
        throw CancellationError()
    }

    /// Waits until who serves was seen so many times during one scan.
    func find(times count: Int) async throws {
        var rest = count
        for try await case .seen in try await central.scan(ScanFilter(service: Self.service)) {
            rest -= 1
            if rest == 0 { return }
        }
        throw CancellationError()
    }

    /// A link to who serves, its services known.
    func link(from radio: Adapter? = nil) async throws -> any Link {
        let sighting = try await find(by: radio)
        let link = try await (radio ?? central).connect(to: sighting.peer)
        _ = try await link.discoverServices()
        return link
    }

    /// Another program's radio on the adapter that serves.
    func another() async throws -> Adapter {
        try await Adapter.open("hci1", onBusAt: bus.rawValue)
    }

    func close() async {
        await central.close()
        await serving.close()
    }
}

/// Counts and checks what is written: each value says which one it is.
actor CountingResponder: GATTResponder {
    nonisolated let events: AsyncStream<PublicationEvent>
    nonisolated let counts: AsyncStream<Int>
    private let event: AsyncStream<PublicationEvent>.Continuation
    private let count: AsyncStream<Int>.Continuation
    private(set) var byteCount = 0
    private var next = 0
    /// The numbers of the values that came.
    private(set) var numbers: Set<Int> = []
    /// Values that came in another order.
    private(set) var disorderCount = 0

    init() {
        (events, event) = AsyncStream.makeStream()
        (counts, count) = AsyncStream.makeStream()
    }

    /// The value with a number, of so many bytes.
    static func value(_ number: Int, _ byteCount: Int) -> [UInt8] {
        var value = [UInt8](repeating: UInt8(number % 251), count: byteCount)
        for (index, shift) in [0, 8, 16].enumerated() where index < byteCount {
            value[index] = UInt8(truncatingIfNeeded: number >> shift)
        }
        return value
    }

    /// Which value it is; `nil` for one that was changed on the way.
    static func number(_ value: [UInt8]) -> Int? {
        guard value.count >= 3 else { return nil }
        let number = Int(value[0]) | Int(value[1]) << 8 | Int(value[2]) << 16
        return value == Self.value(number, value.count) ? number : nil
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] { [UInt8(10 + characteristic.instance)] }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        if value != Self.value(next, value.count) { disorderCount += 1 }
        if let number = Self.number(value) { numbers.insert(number) }
        next += 1
        byteCount += value.count
        count.yield(next)
    }

    func handle(_ event: PublicationEvent) {
        // It comes with each connection, at its time.
        if case .mtuChanged = event { return }
        self.event.yield(event)
    }
}
