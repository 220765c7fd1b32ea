internal import BLEDBus

/// What an application wants to be advertised, as read back from its object.
///
/// Source: BlueZ, doc/advertising-api.txt; src/advertising.c, `parse_advertisement`.
struct RegisteredAdvertisement {
    /// Whose it is, and at which path.
    struct ID: Hashable {
        let owner: String
        let path: ObjectPath
    }

    /// The length of an advertisement, and of a scan response.
    static let maximumByteCount = 31

    let id: ID

    /// What was read of its object; `nil` for a passer-by's, which has none.
    private var properties: AdvertisementProperties?

    let isConnectable: Bool

    /// Whether it has the General or the Limited Discoverable flag.
    private(set) var isDiscoverable: Bool

    /// The flags on the air: no BR/EDR; with a time limit Limited, else General Discoverable, or none.
    var flags: UInt8 {
        guard isDiscoverable else { return 0x04 }
        return discoverableLimit == nil ? 0x06 : 0x05
    }

    /// After which time it is released.
    var limit: Duration? { properties?.limit }

    /// After which time it is discoverable no more.
    var discoverableLimit: Duration? { isDiscoverable ? properties?.discoverableLimit : nil }

    let serviceUUIDs: [String]
    let manufacturerData: [Value.Entry]

    /// By the long form of UUIDs.
    let serviceData: [Value.Entry]

    let appearance: UInt16?

    /// Whether the transmit power is told.
    let hasTransmitPower: Bool

    /// What fits of the name into the scan response.
    let name: String?

    /// The services in the advertisement, as they were given.
    private let advertisedUUIDs: [String]
    private let includesAppearance: Bool

    /// Reads the properties of an LEAdvertisement1; it may want the adapter's alias for a name.
    ///
    /// - Throws: `org.bluez.Error.Failed` for what is none, or does not fit into 31 bytes.
    init(
        _ id: ID,
        _ values: [String: Value],
        alias: String,
        _ behavior: Behavior
    ) throws(ErrorReply) {
        let unreadable = ErrorReply.failed("Failed to parse advertisement.")
        self.id = id
        guard let properties = AdvertisementProperties(values, behavior) else { throw unreadable }
        self.properties = properties
        // One without a type is no more than a broadcast.
        let type = values["Type"].map { $0.string ?? "" } ?? "broadcast"
        isConnectable = type == "peripheral"
        isDiscoverable = values["Discoverable"]?.bool ?? false
        guard isConnectable || type == "broadcast" && !isDiscoverable else { throw unreadable }
        advertisedUUIDs = properties.uuids("ServiceUUIDs")
        let response =
            behavior.advertisesInScanResponse ? properties.uuids("ScanResponseServiceUUIDs") : []
        let uuids = advertisedUUIDs + response
        serviceUUIDs = uuids.compactMap(BluetoothUUIDText.normalized)
        guard serviceUUIDs.count == uuids.count else { throw unreadable }
        guard let manufacturerData = Self.manufacturerData(values["ManufacturerData"]),
            let serviceData = Self.serviceData(values["ServiceData"])
        else { throw unreadable }
        (self.manufacturerData, self.serviceData) = (manufacturerData, serviceData)
        let includes = Set(values["Includes"]?.strings ?? [])
        hasTransmitPower = includes.contains("tx-power")
        includesAppearance = includes.contains("appearance")
        if case .uint16(let value) = values["Appearance"] {
            appearance = value
        } else {
            appearance = nil
        }
        // What is given can't be the adapter's too, and has to be of its kind.
        let name = values["LocalName"]
        guard name == nil || name?.string != nil && !includes.contains("local-name"),
            values["Appearance"] == nil || appearance != nil && !includesAppearance
        else { throw unreadable }
        let room = Self.maximumByteCount - Self.byteCount(response)
        guard room >= 0 else { throw Self.tooLong }
        let ownName = name?.string.flatMap { $0.isEmpty ? nil : $0 }
        self.name = (ownName ?? (includes.contains("local-name") ? alias : nil)).flatMap { name in
            Self.received(Array(name.utf8.prefix(max(0, room - 2))), behavior)
        }
        guard byteCount <= Self.maximumByteCount else { throw Self.tooLong }
    }

    /// What is advertised once a property is another, or `nil` if it is gone.
    ///
    /// - Throws: `org.bluez.Error.Failed` for a value that leaves the advertisement as it is.
    func changed(
        _ name: String,
        to value: Value?,
        alias: String,
        _ behavior: Behavior
    ) throws(ErrorReply) -> RegisteredAdvertisement {
        var values = properties?.values ?? [:]
        values[name] = value
        return try RegisteredAdvertisement(id, values, alias: alias, behavior)
    }

    /// Takes the flag away that tells others to show it.
    mutating func endBeingDiscoverable() {
        isDiscoverable = false
        properties?.values["Discoverable"] = nil
    }

    /// What one who passes by advertises.
    init(ofPasserby number: Int, serviceUUIDs: [String]) {
        id = ID(owner: "", path: .root)
        properties = nil
        isConnectable = false
        isDiscoverable = true
        self.serviceUUIDs = serviceUUIDs
        let bytes = [8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        // 0xFFFF is the company of tests (Assigned Numbers, 7.1).
        manufacturerData = [Value.Entry(.uint16(0xFFFF), .variant(.bytes(bytes)))]
        serviceData = []
        appearance = nil
        hasTransmitPower = false
        name = number.isMultiple(of: 2) ? "Passer-by \(number)" : nil
        advertisedUUIDs = serviceUUIDs
        includesAppearance = false
    }

    /// What a name is for who receives it, which may have been cut within a character.
    ///
    /// Source: BlueZ, src/eir.c, `name2utf8`.
    ///
    /// - Returns: `nil` when nothing is left of it.
    private static func received(_ bytes: [UInt8], _ behavior: Behavior) -> String? {
        if let name = String(validating: bytes, as: UTF8.self) { return name }
        var rest = bytes[...]
        if behavior.keepsBrokenNames {
            while String(validating: rest, as: UTF8.self) == nil { rest.removeLast() }
        } else {
            rest = bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: " ") }[...]
        }
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || (9...13).contains(byte) }
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        rest = rest.drop(while: isSpace)
        return rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self)
    }

    private static let tooLong = ErrorReply.failed("Failed to register advertisement")

    /// - Returns: `nil` for what is none, `a{qv}` with `ay`, or is too long even alone.
    private static func manufacturerData(_ value: Value?) -> [Value.Entry]? {
        guard let value else { return [] }
        return value.entries?.allSatisfy { entry in
            guard case .uint16 = entry.key, let bytes = entry.advertisedBytes else { return false }
            return bytes.count <= maximumByteCount - 4
        } == true ? value.entries : nil
    }

    private static func serviceData(_ value: Value?) -> [Value.Entry]? {
        guard let value else { return [] }
        let entries = value.entries?.compactMap { entry -> Value.Entry? in
            guard let text = entry.key.string, let uuid = BluetoothUUIDText.normalized(text),
                let bytes = entry.advertisedBytes,
                bytes.count <= maximumByteCount - 2 - BluetoothUUIDText.byteCount(text)
            else { return nil }
            return Value.Entry(.string(uuid), entry.value)
        }
        return entries?.count == value.entries?.count ? entries : nil
    }

    /// How long the advertising data is; the name stands in the scan response.
    private var byteCount: Int {
        let uuids = Self.byteCount(advertisedUUIDs)
        let manufacturer = manufacturerData.map { 4 + ($0.value.bytes?.count ?? 0) }
        let services = serviceData.map { entry in
            2 + BluetoothUUIDText.byteCount(entry.key.string ?? "")
                + (entry.value.bytes?.count ?? 0)
        }
        let others = [
            isDiscoverable ? 3 : 0, appearance != nil || includesAppearance ? 4 : 0,
            hasTransmitPower ? 3 : 0, Self.byteCount(properties?.uuids("SolicitUUIDs") ?? []),
            properties?.dataByteCount ?? 0,
        ]
        return (manufacturer + services + others).reduce(uuids, +)
    }

    private static func byteCount(_ uuids: [String]) -> Int {
        let lengths = uuids.map(BluetoothUUIDText.byteCount)
        // UUIDs of one length share a field, of two bytes before them.
        return Set(lengths).map { 2 + $0 * lengths.filter([$0].contains).count }.reduce(0, +)
    }
}
