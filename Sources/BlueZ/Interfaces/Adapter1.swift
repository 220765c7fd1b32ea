internal import BLE
internal import BLEDBus

/// A Bluetooth controller of this machine.
///
/// Source: BlueZ, doc/org.bluez.Adapter.rst.
struct Adapter1 {
    static let interface = "org.bluez.Adapter1"

    /// Below it stand `hci0`, `hci1` and so on.
    static let parent: ObjectPath = "/org/bluez"

    let path: ObjectPath
    var properties = PropertyMap()

    /// `hci0`.
    var name: String { String(path.lastComponent) }

    /// The number in the name, by which adapters are ordered.
    var number: Int { Int(path.lastComponent.drop { !$0.isNumber }) ?? .max }

    var address: BluetoothAddress? {
        properties["Address"]?.string.flatMap { BluetoothAddress($0) }
    }

    /// The release of bluetoothd, 5 and 66, from the Device ID that it has unless told otherwise:
    /// `usb:v1D6Bp0246d0542`, whose last four digits are the release.
    var release: (Int, Int)? {
        guard let modalias = properties["Modalias"]?.string,
            modalias.hasPrefix("usb:v1D6Bp0246d"),
            let digits = UInt16(modalias.suffix(4), radix: 16)
        else { return nil }
        return (Int(digits >> 8), Int(digits & 0xFF))
    }

    /// What it can be; `nil` where it is not told.
    var roles: RadioCapabilities.Roles? {
        guard let names = properties["Roles"]?.strings else { return nil }
        return names.reduce(into: RadioCapabilities.Roles()) { roles, name in
            switch name {
            case "central": roles.insert(.central)
            case "peripheral": roles.insert(.peripheral)
            case "central-peripheral": roles.insert(.simultaneous)
            default: break
            }
        }
    }

    var isPowered: Bool { properties["Powered"]?.bool ?? false }

    /// Whether rfkill keeps it without power; known from BlueZ 5.70 on.
    var isBlocked: Bool { properties["PowerState"]?.string == "off-blocked" }

    /// Whether it discovers, for whichever program.
    var isDiscovering: Bool { properties["Discovering"]?.bool ?? false }

    /// Which advertisements this client wants.
    ///
    /// `DuplicateData` makes every version report every advertisement, also those that are not
    /// discoverable. Never with `UUIDs`: bluetoothd 5.87 dies of them.
    var setDiscoveryFilter: Message {
        let filter: [String: Value] = ["Transport": .string("le"), "DuplicateData": .bool(true)]
        return .bluez(path, Self.interface, "SetDiscoveryFilter", [.properties(filter)])
    }

    var startDiscovery: Message { .bluez(path, Self.interface, "StartDiscovery") }

    var stopDiscovery: Message { .bluez(path, Self.interface, "StopDiscovery") }

    /// Forgets a device.
    ///
    /// One that is connected is disconnected first; returns when that is done.
    func removeDevice(_ device: ObjectPath) -> Message {
        .bluez(path, Self.interface, "RemoveDevice", [.objectPath(device)])
    }
}

extension Adapter1 {
    /// All adapters, in the order of their numbers.
    static func all(in mirror: ObjectMirror) -> [Adapter1] {
        mirror.objects(with: interface)
            .map { Adapter1(path: $0.path, properties: $0.properties) }
            .sorted { ($0.number, $0.name) < ($1.number, $1.name) }
    }

    /// The first adapter with power, else the first.
    static func preferred(in mirror: ObjectMirror) -> Adapter1? {
        let adapters = all(in: mirror)
        return adapters.first(where: \.isPowered) ?? adapters.first
    }
}
