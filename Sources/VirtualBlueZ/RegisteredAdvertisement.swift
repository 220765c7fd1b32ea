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

    private static let maximumByteCount = 31
    private static let maximumNameByteCount = 29

    let id: ID
    let isConnectable: Bool

    /// Whether it has the General Discoverable flag.
    let isDiscoverable: Bool

    let serviceUUIDs: [String]
    let manufacturerData: [Value.Entry]
    let serviceData: [Value.Entry]

    /// What fits of the name into the scan response.
    let name: String?

    private let extraByteCount: Int

    /// Reads the properties of an LEAdvertisement1; it may want the adapter's alias for a name.
    ///
    /// - Throws: `org.bluez.Error.Failed` for what is none, or does not fit into 31 bytes.
    init(_ id: ID, _ properties: [String: Value], alias: String) throws(ErrorReply) {
        let unreadable = ErrorReply.failed("Failed to parse advertisement.")
        self.id = id
        guard let type = properties["Type"]?.string, ["peripheral", "broadcast"].contains(type)
        else { throw unreadable }
        isConnectable = type == "peripheral"
        isDiscoverable = properties["Discoverable"]?.bool ?? false

        let uuids = properties["ServiceUUIDs"].map { $0.strings ?? [""] } ?? []
        serviceUUIDs = uuids.compactMap(BluetoothUUIDText.normalized)
        manufacturerData = properties["ManufacturerData"]?.entries ?? []
        serviceData = properties["ServiceData"]?.entries ?? []
        guard serviceUUIDs.count == uuids.count,
            (manufacturerData + serviceData).allSatisfy({ $0.value.bytes != nil })
        else { throw unreadable }

        let includes = properties["Includes"]?.strings ?? []
        let name =
            properties["LocalName"]?.string ?? (includes.contains("local-name") ? alias : nil)
        self.name = name.map { name in
            String(decoding: name.utf8.prefix(Self.maximumNameByteCount), as: UTF8.self)
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
        let lengths = serviceUUIDs.map(BluetoothUUIDText.byteCount)
        // UUIDs of one length share a field, of two bytes before them.
        let uuids = Set(lengths).map { 2 + $0 * lengths.filter([$0].contains).count }
        let manufacturer = manufacturerData.map { 4 + ($0.value.bytes?.count ?? 0) }
        let services = serviceData.map { entry in
            let uuid = BluetoothUUIDText.normalized(entry.key.string ?? "") ?? ""
            return 2 + BluetoothUUIDText.byteCount(uuid) + (entry.value.bytes?.count ?? 0)
        }
        let flags = isDiscoverable ? 3 : 0
        return (uuids + manufacturer + services).reduce(flags + extraByteCount, +)
    }
}
