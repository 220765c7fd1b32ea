internal import DBus

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
    let isConnectable: Bool

    /// Whether it has the General Discoverable flag.
    let isDiscoverable: Bool

    /// The flags on the air: no BR/EDR, and General Discoverable or not.
    var flags: UInt8 { isDiscoverable ? 0x06 : 0x04 }

    let serviceUUIDs: [String]
    let manufacturerData: [Value.Entry]

    /// By the long form of UUIDs.
    let serviceData: [Value.Entry]

    let appearance: UInt16?

    /// Whether the transmit power is told.
    let hasTransmitPower: Bool

    /// What fits of the name into the scan response.
    let name: String?

    /// How many of the services stand in the advertisement; the others in the scan response.
    private let advertisedUUIDCount: Int
    private let includesAppearance: Bool

    /// Reads the properties of an LEAdvertisement1; it may want the adapter's alias for a name.
    ///
    /// - Throws: `org.bluez.Error.Failed` for what is none, or does not fit into 31 bytes.
    init(
        _ id: ID,
        _ properties: [String: Value],
        alias: String,
        readsScanResponse: Bool
    ) throws(ErrorReply) {
        let unreadable = ErrorReply.failed("Failed to parse advertisement.")
        self.id = id
        // One without a type is no more than a broadcast.
        let type = properties["Type"].map { $0.string ?? "" } ?? "broadcast"
        isConnectable = type == "peripheral"
        isDiscoverable = properties["Discoverable"]?.bool ?? false
        guard isConnectable || type == "broadcast" && !isDiscoverable else { throw unreadable }
        let own = properties["ServiceUUIDs"].map { $0.strings ?? [""] } ?? []
        let response = properties["ScanResponseServiceUUIDs"].map { $0.strings ?? [""] } ?? []
        let uuids = readsScanResponse ? own + response : own
        serviceUUIDs = uuids.compactMap(BluetoothUUIDText.normalized)
        advertisedUUIDCount = own.count
        guard serviceUUIDs.count == uuids.count else { throw unreadable }
        guard let manufacturerData = Self.manufacturerData(properties["ManufacturerData"]),
            let serviceData = Self.serviceData(properties["ServiceData"])
        else { throw unreadable }
        (self.manufacturerData, self.serviceData) = (manufacturerData, serviceData)
        let includes = Set(properties["Includes"]?.strings ?? [])
        hasTransmitPower = includes.contains("tx-power")
        includesAppearance = includes.contains("appearance")
        if case .uint16(let value) = properties["Appearance"] {
            appearance = value
        } else {
            appearance = nil
        }
        // What is given can't be the adapter's too, and has to be of its kind.
        let name = properties["LocalName"]
        guard name == nil || name?.string != nil && !includes.contains("local-name"),
            properties["Appearance"] == nil || appearance != nil && !includesAppearance
        else { throw unreadable }
        let room = Self.maximumByteCount - Self.byteCount(serviceUUIDs.dropFirst(own.count))
        guard room >= 0 else { throw Self.tooLong }
        self.name = (name?.string ?? (includes.contains("local-name") ? alias : nil)).map { name in
            String(decoding: name.utf8.prefix(max(0, room - 2)), as: UTF8.self)
        }
        guard byteCount <= Self.maximumByteCount else { throw Self.tooLong }
    }

    /// What one who passes by advertises.
    init(ofPasserby number: Int, serviceUUIDs: [String]) {
        id = ID(owner: "", path: .root)
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
        advertisedUUIDCount = serviceUUIDs.count
        includesAppearance = false
    }

    private static let tooLong = ErrorReply.failed("Failed to register advertisement")

    /// - Returns: `nil` for what is none, or is too long even alone.
    private static func manufacturerData(_ value: Value?) -> [Value.Entry]? {
        guard let value else { return [] }
        return value.entries?.allSatisfy { entry in
            entry.value.bytes.map { $0.count <= maximumByteCount - 4 } ?? false
        } == true ? value.entries : nil
    }

    private static func serviceData(_ value: Value?) -> [Value.Entry]? {
        guard let value else { return [] }
        let entries = value.entries?.compactMap { entry -> Value.Entry? in
            guard let uuid = entry.key.string.flatMap(BluetoothUUIDText.normalized),
                let bytes = entry.value.bytes,
                bytes.count <= maximumByteCount - 2 - BluetoothUUIDText.byteCount(uuid)
            else { return nil }
            return Value.Entry(.string(uuid), entry.value)
        }
        return entries?.count == value.entries?.count ? entries : nil
    }

    /// How long the advertising data is; the name stands in the scan response.
    private var byteCount: Int {
        let uuids = Self.byteCount(serviceUUIDs.prefix(advertisedUUIDCount))
        let manufacturer = manufacturerData.map { 4 + ($0.value.bytes?.count ?? 0) }
        let services = serviceData.map { entry in
            2 + BluetoothUUIDText.byteCount(entry.key.string ?? "")
                + (entry.value.bytes?.count ?? 0)
        }
        let others = [
            isDiscoverable ? 3 : 0, appearance != nil || includesAppearance ? 4 : 0,
            hasTransmitPower ? 3 : 0,
        ]
        return (manufacturer + services + others).reduce(uuids, +)
    }

    private static func byteCount(_ uuids: ArraySlice<String>) -> Int {
        let lengths = uuids.map(BluetoothUUIDText.byteCount)
        // UUIDs of one length share a field, of two bytes before them.
        return Set(lengths).map { 2 + $0 * lengths.filter([$0].contains).count }.reduce(0, +)
    }
}
