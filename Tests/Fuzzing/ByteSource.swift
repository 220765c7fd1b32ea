import BLEDBus

/// Choices that an input makes, for decoders of things that are no bytes: one after the other, and
/// always the first when the input has ended.
struct ByteSource {
    private var bytes: Slice<UnsafeRawBufferPointer>

    init(_ input: UnsafeRawBufferPointer) {
        bytes = input[...]
    }

    var isEmpty: Bool { bytes.isEmpty }

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func number(below limit: Int) -> Int { Int(byte()) % limit }

    mutating func element<Element>(of elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// Bytes of the input as they are, their number first.
    mutating func text() -> [UInt8] {
        let count = Int(byte())
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        defer { bytes = bytes.dropFirst(bytes.count) }
        return Array(bytes)
    }

    /// A value of any type but a descriptor.
    mutating func value(depth: Int = 3) -> Value {
        switch number(below: depth > 0 ? 17 : 12) {
        case 0: return .byte(byte())
        case 1: return .bool(byte() % 2 == 1)
        case 2: return .int16(Int16(bitPattern: UInt16(byte()) << 8 | UInt16(byte())))
        case 3: return .uint16(UInt16(byte()) << 8 | UInt16(byte()))
        case 4: return .int32(element(of: [.min, -1, 0, 1, .max]))
        case 5: return .uint32(element(of: [0, 1, .max]))
        case 6: return .int64(element(of: [.min, -1, 0, 1, .max]))
        case 7: return .uint64(element(of: [0, 1, .max]))
        case 8: return .double(element(of: [0, -1, .nan, .infinity]))
        case 9: return .string(string())
        case 10: return .objectPath(path())
        case 11: return .bytes(text())
        case 12: return .strings((0..<number(below: 4)).map { _ in string() })
        case 13: return .variant(value(depth: depth - 1))
        case 14: return .structure([value(depth: depth - 1), value(depth: depth - 1)])
        case 15: return .properties(properties(depth: depth - 1))
        default: return .strings([])
        }
    }

    /// What BlueZ's objects have, of the type that it should have, or of any.
    mutating func properties(depth: Int = 3) -> [String: Value] {
        var properties: [String: Value] = [:]
        for _ in 0..<number(below: 8) {
            let name = element(of: Self.properties)
            properties[name] = byte() % 2 == 0 ? usual(name) : value(depth: depth)
        }
        return properties
    }

    private mutating func usual(_ property: String) -> Value {
        switch property {
        case "Connected", "ServicesResolved", "Powered", "Primary": .bool(byte() % 2 == 1)
        case "Service": .objectPath(path())
        case "Flags": .strings(["read", "notify", "write"])
        case "MTU": .uint16(UInt16(byte()) * 8)
        case "RSSI": .int16(Int16(Int8(bitPattern: byte())))
        case "UUIDs": .strings([string()])
        case "Value": .bytes(text())
        default: .string(string())
        }
    }

    mutating func string() -> String {
        let texts = [
            "", "8e38140a-27be-4090-8955-4fc4b5698d1e", "bdd37d7a-f66a-47b9-a49c-fe29fd235a77",
            "349a0d7b-6215-4e2c-a095-af078d737445", "00:AA:01:01:00:01", "public", "180f", "Ball",
        ]
        let choice = number(below: texts.count + 1)
        guard choice == texts.count else { return texts[choice] }
        // A text that travels has no zero in it.
        return String(decoding: text().filter { $0 != 0 }, as: UTF8.self)
    }

    mutating func path() -> ObjectPath {
        element(of: [
            "/", "/org/bluez", "/org/bluez/hci0", "/org/bluez/hci0/dev_1",
            "/org/bluez/hci0/dev_1/service1", "/org/bluez/hci0/dev_1/service1/char1",
            "/org/bluez/hci0/dev_1/service1/char2", "/org/bluez/hci0/dev_1/service2",
            "/org/bluez/hci0/dev_1/service2/char1", "/org/bluez/hci0/dev_2",
        ])
    }

    mutating func interface() -> String {
        element(of: [
            "org.bluez.Device1", "org.bluez.GattService1", "org.bluez.GattCharacteristic1",
            "org.bluez.GattDescriptor1", "org.bluez.Adapter1", "org.bluez.Battery1",
        ])
    }

    private static let properties = [
        "UUID", "Service", "Characteristic", "Flags", "MTU", "Value", "Connected",
        "ServicesResolved", "UUIDs", "RSSI", "Name", "Address", "AddressType", "Powered", "Primary",
    ]
}
