internal import DBus

/// What an application wants to be advertised, as read back from its object.
///
/// Source: BlueZ, doc/advertising-api.txt.
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
    let serviceData: [Value.Entry]

    /// What fits of the name into the scan response.
    let name: String?

    /// How many of the services stand in the advertisement; the others in the scan response.
    private let advertisedUUIDCount: Int
    private let extraByteCount: Int

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
        guard let type = properties["Type"]?.string, ["peripheral", "broadcast"].contains(type)
        else { throw unreadable }
        isConnectable = type == "peripheral"
        isDiscoverable = properties["Discoverable"]?.bool ?? false

        let own = properties["ServiceUUIDs"].map { $0.strings ?? [""] } ?? []
        let response = properties["ScanResponseServiceUUIDs"].map { $0.strings ?? [""] } ?? []
        let uuids = readsScanResponse ? own + response : own
        serviceUUIDs = uuids.compactMap(BluetoothUUIDText.normalized)
        advertisedUUIDCount = own.count
        manufacturerData = properties["ManufacturerData"]?.entries ?? []
        serviceData = properties["ServiceData"]?.entries ?? []
        guard serviceUUIDs.count == uuids.count,
            (manufacturerData + serviceData).allSatisfy({ $0.value.bytes != nil })
        else { throw unreadable }

        let includes = properties["Includes"]?.strings ?? []
        let name =
            properties["LocalName"]?.string ?? (includes.contains("local-name") ? alias : nil)
        let room = Self.maximumByteCount - Self.byteCount(serviceUUIDs.dropFirst(own.count))
        guard room >= 0 else { throw .failed("Failed to register advertisement") }
        self.name = name.map { name in
            String(decoding: name.utf8.prefix(max(0, room - 2)), as: UTF8.self)
        }
        extraByteCount =
            (properties["Appearance"] != nil || includes.contains("appearance") ? 4 : 0)
            + (includes.contains("tx-power") ? 3 : 0)
        guard byteCount <= Self.maximumByteCount else {
            throw .failed("Failed to register advertisement")
        }
    }

    /// How long the advertising data is; the name stands in the scan response.
    private var byteCount: Int {
        let uuids = Self.byteCount(serviceUUIDs.prefix(advertisedUUIDCount))
        let manufacturer = manufacturerData.map { 4 + ($0.value.bytes?.count ?? 0) }
        let services = serviceData.map { entry in
            let uuid = BluetoothUUIDText.normalized(entry.key.string ?? "") ?? ""
            return 2 + BluetoothUUIDText.byteCount(uuid) + (entry.value.bytes?.count ?? 0)
        }
        let flags = isDiscoverable ? 3 : 0
        return (manufacturer + services).reduce(flags + extraByteCount + uuids, +)
    }

    private static func byteCount(_ uuids: ArraySlice<String>) -> Int {
        let lengths = uuids.map(BluetoothUUIDText.byteCount)
        // UUIDs of one length share a field, of two bytes before them.
        return Set(lengths).map { 2 + $0 * lengths.filter([$0].contains).count }.reduce(0, +)
    }
}
