internal import BLEDBus

/// Which advertisements are reported to a client that scans.
///
/// Source: BlueZ, doc/adapter-api.txt, `SetDiscoveryFilter`.
struct DiscoveryFilter: Hashable {
    private var uuids: Set<String> = []
    private var rssi: Int16?
    private var pathloss: UInt16?
    private var transport = "auto"
    private var pattern: String?
    private var duplicateData = false

    /// Reads the properties that a client sets.
    ///
    /// - Returns: `nil` for none at all, which takes the filter away.
    /// - Throws: `org.bluez.Error.InvalidArguments`.
    static func parse(
        _ properties: [String: Value],
        _ behavior: Behavior
    ) throws(ErrorReply) -> DiscoveryFilter? {
        guard !properties.isEmpty else { return nil }
        var filter = DiscoveryFilter()
        let names = names(behavior)
        for (name, value) in properties where !names.contains(name) || !filter.set(name, value) {
            throw .invalidArguments()
        }
        guard filter.rssi == nil || filter.pathloss == nil else { throw .invalidArguments() }
        return filter
    }

    /// The properties that can be set.
    static func names(_ behavior: Behavior) -> [String] {
        ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]
            + (behavior.filtersKnowAutoConnect ? ["AutoConnect"] : [])
    }

    private mutating func set(_ name: String, _ value: Value) -> Bool {
        switch (name, value) {
        case ("UUIDs", _):
            guard let texts = value.strings else { return false }
            uuids = Set(texts.compactMap(BluetoothUUIDText.normalized))
            return texts.count == texts.compactMap(BluetoothUUIDText.normalized).count
        case ("RSSI", .int16(let value)):
            rssi = value
            return (-127...20).contains(value)
        case ("Pathloss", .uint16(let value)):
            pathloss = value
            return value <= 137
        case ("Transport", .string(let value)):
            transport = value
            return ["auto", "bredr", "le"].contains(value)
        case ("Pattern", .string(let value)):
            pattern = value
            return true
        case ("DuplicateData", .bool(let value)):
            duplicateData = value
            return true
        case ("Discoverable", .bool), ("AutoConnect", .bool):
            return true
        default:
            return false
        }
    }

    var hasUUIDs: Bool { !uuids.isEmpty }

    /// Whether it says anything beside the transport, if only what is so without it.
    var hasMoreThanTransport: Bool {
        hasUUIDs || rssi != nil || pathloss != nil || pattern != nil || duplicateData
    }

    /// Whether the controller, which knows services and signal strength alone, reports everybody.
    var isForEverybody: Bool {
        !hasUUIDs && rssi == nil && pathloss == nil && transport != "bredr"
    }

    /// Whether an advertisement is reported to a client with this filter.
    func matches(
        _ advertisement: RegisteredAdvertisement,
        from address: String,
        rssi received: Int16
    )
        -> Bool
    {
        guard transport != "bredr" else { return false }
        guard uuids.isEmpty || !uuids.isDisjoint(with: advertisement.serviceUUIDs) else {
            return false
        }
        if let rssi, received < rssi { return false }
        guard let pattern else { return true }
        return address.hasPrefix(pattern) || (advertisement.name ?? "").hasPrefix(pattern)
    }
}
