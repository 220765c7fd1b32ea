internal import BLEDBus

/// A controller of the daemon.
struct VirtualAdapter {
    static let maximumAdvertisements = 5

    let index: Int
    let path: ObjectPath
    let address: String

    /// The name that it has by itself.
    let name: String
    var alias: String

    var discovery = DiscoverySessions()

    /// The call that gets its reply once the controller scans.
    var startingCall: MethodCall?

    /// By the peer's adapter.
    var devices: [Int: VirtualDevice] = [:]

    var table: AttributeTable
    /// The services of applications that centrals have been told of.
    private var toldServices: [VirtualService] = []
    var applications: [RegisteredApplication] = []

    /// Applications whose objects are being asked for.
    var pendingApplications: Set<RegisteredApplication.ID> = []

    var advertisements: [RegisteredAdvertisement] = []

    /// Advertisements whose properties are being asked for.
    var pendingAdvertisements: Set<RegisteredAdvertisement.ID> = []

    /// Whose batteries devices may have.
    var batteryProviders: Set<RegisteredApplication.ID> = []

    /// Makes an adapter.
    ///
    /// - Parameters:
    ///   - index: which one it is; its address tells it.
    ///   - nameNumber: the number in its name, mostly the same.
    ///   - version: the release of the daemon.
    init(index: Int, nameNumber: Int, version: BlueZVersion) {
        self.index = index
        name = "BlueZ \(version)"
        alias = name
        table = AttributeTable(version)
        path = VirtualDaemon.path.child("hci\(nameNumber)")
        address = Self.address(of: index)
    }

    static func address(of index: Int) -> String {
        let digits = twoDigits(index)
        return "00:AA:01:\(digits):00:\(digits)"
    }

    /// Whether somebody can connect to it, if it is on and near.
    var isConnectable: Bool { advertisements.contains(where: \.isConnectable) }

    /// The services of applications among those that every daemon has, in BlueZ's order.
    var uuids: [String] {
        var uuids = ["1801", "1800"].map(BluetoothUUIDText.long)
        for uuid in applications.flatMap(\.uuids) where !uuids.contains(uuid) {
            uuids.append(uuid)
        }
        return uuids + ["1200", "110c", "110e", "180a"].map(BluetoothUUIDText.long)
    }

    /// The handles of the services that have come or gone since this was asked for last.
    mutating func takeServiceChanges() -> [Range<Int>] {
        let services = table.services.filter { $0.application != nil }
        defer { toldServices = services }
        let gone = toldServices.filter { !services.contains($0) }
        let new = services.filter { !toldServices.contains($0) }
        return (gone + new).map(\.range)
    }

    /// An application has a service no longer, as another one asked for its handles.
    mutating func lose(_ service: VirtualService) {
        guard let index = applications.firstIndex(where: { $0.id == service.application }) else {
            return
        }
        applications[index].lose(service.uuid)
    }

    private static func twoDigits(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return digits.count == 1 ? "0" + digits : digits
    }
}
