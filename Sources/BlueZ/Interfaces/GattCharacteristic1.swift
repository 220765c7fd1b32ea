internal import BLE
internal import BLEDBus

/// A characteristic of a remote device; also what an application shows of its own.
///
/// Source: BlueZ, doc/org.bluez.GattCharacteristic.rst.
struct GattCharacteristic1 {
    static let interface = "org.bluez.GattCharacteristic1"

    let path: ObjectPath
    var properties = PropertyMap()

    var uuid: BluetoothUUID? { properties["UUID"]?.string.flatMap(BluetoothUUID.init) }

    var service: ObjectPath? { properties["Service"]?.objectPath }

    var flags: CharacteristicProperties {
        CharacteristicProperties(flags: properties["Flags"]?.strings ?? [])
    }

    /// Absent before BlueZ 5.62.
    var mtuBytes: Int? { properties["MTU"]?.uint16.map { max(Int($0), 23) } }

    /// Whether a program gets its values: by signals, or through a socket.
    var isNotifying: Bool {
        properties["Notifying"]?.bool == true || properties["NotifyAcquired"]?.bool == true
    }

    var readValue: Message {
        .bluez(path, Self.interface, "ReadValue", [.properties([:])])
    }

    /// A write request, whatever else the characteristic may take, which returns when the peer replied; or
    /// a write command, which returns when it has been queued.
    func writeValue(_ value: [UInt8], _ kind: WriteKind = .withResponse) -> Message {
        let type = kind == .withResponse ? "request" : "command"
        let options: [String: Value] = ["type": .string(type)]
        return .bluez(
            path,
            Self.interface,
            "WriteValue",
            [.bytes(value), .properties(options)]
        )
    }

    /// Gives a socket for write commands, `h`, and the MTU, `q`.
    var acquireWrite: Message {
        .bluez(path, Self.interface, "AcquireWrite", [.properties([:])])
    }

    /// Subscribes, and gives a socket for the values, `h`, and the MTU, `q`.
    var acquireNotify: Message {
        .bluez(path, Self.interface, "AcquireNotify", [.properties([:])])
    }

    var startNotify: Message { .bluez(path, Self.interface, "StartNotify") }

    var stopNotify: Message { .bluez(path, Self.interface, "StopNotify") }
}

// MARK: - Exported

extension GattCharacteristic1 {
    /// What bluetoothd calls on a characteristic of an application.
    enum Operation: String, CaseIterable {
        case readValue = "ReadValue"
        case writeValue = "WriteValue"
        case startNotify = "StartNotify"
        case stopNotify = "StopNotify"
        case confirm = "Confirm"
        case acquireNotify = "AcquireNotify"
    }

    /// A characteristic to export.
    ///
    /// - Parameters:
    ///   - characteristic: its description.
    ///   - service: the object of its service.
    ///   - hasSockets: whether bluetoothd gets a socket for each central that subscribes.
    ///   - handler: called on the loop with each call, in wire order.
    /// - Returns: what its object is exported with.
    static func exported(
        _ characteristic: GATTCharacteristic,
        of service: ObjectPath,
        hasSockets: Bool,
        _ handler: @escaping @Sendable (Operation, MethodCall) -> Void
    ) -> ExportedInterface {
        var values: [String: Value] = [
            "UUID": .string(characteristic.uuid.longText.lowercased()),
            "Service": .objectPath(service),
            "Flags": .strings(characteristic.properties.flags),
        ]
        // That there is such a property makes bluetoothd ask for sockets.
        if hasSockets { values["NotifyAcquired"] = .bool(false) }
        return ExportedInterface(
            interface,
            methods: Operation.allCases.filter { $0 != .acquireNotify || hasSockets }
                .map { method($0, handler) },
            properties: [
                .init("UUID", "s"), .init("Service", "o"), .init("Flags", "as"),
                .init("Value", "ay"), .init("NotifyAcquired", "b"),
            ],
            values: values
        )
    }

    private static func method(
        _ operation: Operation,
        _ handler: @escaping @Sendable (Operation, MethodCall) -> Void
    ) -> ExportedInterface.Method {
        let value = ExportedInterface.Argument("value", "ay")
        let options = ExportedInterface.Argument("options", "a{sv}")
        let (arguments, results): ([ExportedInterface.Argument], [ExportedInterface.Argument]) =
            switch operation {
            case .readValue: ([options], [value])
            case .writeValue: ([value, options], [])
            case .startNotify, .stopNotify, .confirm: ([], [])
            case .acquireNotify: ([options], [.init("fd", "h"), .init("mtu", "q")])
            }
        return .init(operation.rawValue, arguments: arguments, results: results) { call in
            handler(operation, call)
        }
    }
}

extension CharacteristicProperties {
    private static let names: [(CharacteristicProperties, String)] = [
        (.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"),
        (.notify, "notify"), (.indicate, "indicate"),
    ]

    /// Properties from their names in BlueZ; unknown ones are left out.
    init(flags: [String]) {
        self = Self.names.reduce(into: []) { properties, entry in
            if flags.contains(entry.1) { properties.insert(entry.0) }
        }
    }

    /// Their names in BlueZ.
    var flags: [String] { Self.names.filter { contains($0.0) }.map(\.1) }
}
