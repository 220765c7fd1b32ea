internal import DBus

/// A controller of the daemon.
struct VirtualAdapter {
    /// A client's wishes for discovery.
    struct Scan {
        var filter: DiscoveryFilter?
        var isOn = false
    }

    static let maximumAdvertisements = 5

    let index: Int
    let path: ObjectPath
    let address: String
    var isPowered = true

    /// The name that it has by itself.
    let name: String
    var alias: String

    /// By the client's unique name.
    var scans: [String: Scan] = [:]

    /// By the peer's adapter.
    var devices: [Int: VirtualDevice] = [:]

    var table: AttributeTable
    var applications: [RegisteredApplication] = []

    /// Applications whose objects are being asked for.
    var newcomers: Set<RegisteredApplication.ID> = []

    var advertisements: [RegisteredAdvertisement] = []

    /// Advertisements whose properties are being asked for.
    var newAdvertisements: Set<RegisteredAdvertisement.ID> = []

    /// Whose batteries devices may have.
    var batteryProviders: Set<RegisteredApplication.ID> = []

    /// Makes an adapter that is on.
    ///
    /// - Parameters:
    ///   - index: which one it is; its address tells it.
    ///   - nameIndex: the number in its name, mostly the same.
    ///   - version: the release of the daemon.
    init(index: Int, nameIndex: Int, version: BlueZVersion) {
        self.index = index
        name = "BlueZ \(version)"
        alias = name
        table = AttributeTable(version)
        path = VirtualDaemon.path.child("hci\(nameIndex)")
        address = Self.address(of: index)
    }

    static func address(of index: Int) -> String {
        let digits = twoDigits(index)
        return "00:AA:01:\(digits):00:\(digits)"
    }

    var isDiscovering: Bool { scans.values.contains(where: \.isOn) }

    /// Whether somebody can connect to it, if he is near.
    var isConnectable: Bool { isPowered && advertisements.contains(where: \.isConnectable) }

    /// The services of applications among those that every daemon has, in BlueZ's order.
    var uuids: [String] {
        var uuids = ["1801", "1800"].map(BluetoothUUIDText.long)
        for uuid in applications.flatMap(\.uuids) where !uuids.contains(uuid) {
            uuids.append(uuid)
        }
        return uuids + ["1200", "110c", "110e", "180a"].map(BluetoothUUIDText.long)
    }

    /// Whether one of its clients wants to hear of an advertisement.
    func hears(
        _ advertisement: RegisteredAdvertisement,
        from address: String,
        rssi: Int16,
        countingTransport: Bool
    ) -> Bool {
        scans.values.contains { scan in
            guard scan.isOn else { return false }
            guard let filter = scan.filter else { return advertisement.isDiscoverable }
            guard countingTransport || filter.hasMoreThanTransport || advertisement.isDiscoverable
            else { return false }
            return filter.matches(advertisement, from: address, rssi: rssi)
        }
    }

    /// Whether one of its clients scans with a filter that counts.
    func isFiltered(countingTransport: Bool) -> Bool {
        scans.values.contains { scan in
            guard scan.isOn else { return false }
            return scan.filter.map { countingTransport || $0.hasMoreThanTransport } ?? false
        }
    }

    /// Whether one of its clients scans without a filter that the controller knows.
    var isUnfiltered: Bool {
        scans.values.contains { $0.isOn && $0.filter?.isForEverybody ?? true }
    }

    /// Whether one of its clients looks for services.
    var looksForServices: Bool {
        scans.values.contains { $0.isOn && $0.filter?.hasUUIDs == true }
    }

    private static func twoDigits(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
