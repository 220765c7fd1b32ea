internal import BLEDBus

/// The properties of an LEAdvertisement1, each of which is of its kind.
///
/// Source: BlueZ, src/advertising.c, `parsers`; src/shared/ad.c, `type_reject_list`.
struct AdvertisementProperties {
    var values: [String: Value]

    /// - Returns: `nil` if the daemon refuses one of them, or two do not go together.
    init?(_ values: [String: Value], _ behavior: Behavior) {
        self.values = values
        let isReadable = values.allSatisfy { name, value in
            Self.isReadable(name, value.unwrapped, behavior)
        }
        guard isReadable else { return nil }
        if behavior.checksAdvertisingParameters {
            let intervals = ["MinInterval", "MaxInterval"].map { values[$0]?.integer ?? 0 }
            guard intervals[0] <= intervals[1] else { return nil }
        }
        if let limit, let discoverableLimit, values["Discoverable"]?.bool == true {
            guard discoverableLimit <= limit else { return nil }
        }
    }

    /// After which time the advertisement is released.
    var limit: Duration? { duration("Timeout") }

    /// After which time it is discoverable no more.
    var discoverableLimit: Duration? { duration("DiscoverableTimeout") }

    private func duration(_ name: String) -> Duration? {
        values[name]?.integer.flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    /// A list of UUIDs, as they were given.
    func uuids(_ name: String) -> [String] { values[name]?.strings ?? [] }

    /// How much of the advertisement is fields that were given whole.
    var dataByteCount: Int {
        (values["Data"]?.entries ?? []).map { 2 + ($0.value.bytes?.count ?? 0) }.reduce(0, +)
    }

    private static func isReadable(_ name: String, _ value: Value, _ behavior: Behavior) -> Bool {
        switch name {
        case "Discoverable":
            value.bool != nil
        case "DiscoverableTimeout", "Duration", "Timeout":
            value.signature == "q"
        case "Includes":
            value.strings != nil
        case "ServiceUUIDs", "SolicitUUIDs":
            value.strings?.allSatisfy { BluetoothUUIDText.normalized($0) != nil } ?? false
        // The controllers have no channel but the primary ones.
        case "SecondaryChannel":
            false
        case "Data":
            value.entries?.allSatisfy(isField) ?? false
        case "MinInterval", "MaxInterval":
            !behavior.checksAdvertisingParameters
                || value.signature == "u" && intervals.contains(value.integer ?? 0)
        case "TxPower":
            !behavior.checksAdvertisingParameters
                || value.signature == "n" && (-127...20).contains(value.integer ?? 0)
        default:
            true
        }
    }

    /// In milliseconds: 0x20 to 0xffffff steps of 0.625 ms.
    private static let intervals = 20...10_485_759

    /// Whether it is a field of the advertising data that no property stands for.
    private static func isField(_ entry: Value.Entry) -> Bool {
        guard case .byte(let type) = entry.key, let bytes = entry.advertisedBytes else {
            return false
        }
        return bytes.count <= RegisteredAdvertisement.maximumByteCount - 2
            && !fieldsOfProperties.contains(type)
    }

    private static let fieldsOfProperties: Set<UInt8> = Set(0x01...0x0a).union(0x0d...0x12)
        .union(0x14...0x23).union([0x27, 0x28, 0x29, 0x2a, 0x2b, 0x3d, 0xff])
}

extension Value.Entry {
    /// The bytes of an entry of data that is advertised, `v` with `ay` in it; `nil` for any other type.
    var advertisedBytes: [UInt8]? {
        if case .variant(.bytes(let bytes)) = value { bytes } else { nil }
    }
}
