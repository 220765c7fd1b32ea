import BLEDBus

extension ObjectPath {
    static let hci0: ObjectPath = "/org/bluez/hci0"
    static let hci1: ObjectPath = "/org/bluez/hci1"
    static let world: ObjectPath = "/world"
    static let ball: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
    static let asker: ObjectPath = "/org/bluez/hci1/dev_00_AA_01_00_00_00"
    static let question: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0015/char0016"
    static let answer: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01/service0015/char0018"
}

/// The interfaces of org.bluez, as the specification calls them.
enum Interface: String {
    case adapter = "org.bluez.Adapter1"
    case device = "org.bluez.Device1"
    case characteristic = "org.bluez.GattCharacteristic1"
    case descriptor = "org.bluez.GattDescriptor1"
    case gattManager = "org.bluez.GattManager1"
    case advertisingManager = "org.bluez.LEAdvertisingManager1"
    case agentManager = "org.bluez.AgentManager1"
    case properties = "org.freedesktop.DBus.Properties"
    case objectManager = "org.freedesktop.DBus.ObjectManager"
    case introspectable = "org.freedesktop.DBus.Introspectable"
    case peer = "org.freedesktop.DBus.Peer"
    case world = "VirtualBlueZ.World1"

    /// Whom to call.
    var busName: String { self == .world ? "VirtualBlueZ.World" : "org.bluez" }
}

extension Value {
    static func text(_ text: String) -> Value { .bytes(Array(text.utf8)) }

    static let noOptions = Value.properties([:])

    static func options(type: String) -> Value { .properties(["type": .string(type)]) }
}

func refusal(_ name: String, _ text: String) -> ErrorReply {
    ErrorReply(ErrorName(rawValue: "org.bluez.Error." + name), text)
}
