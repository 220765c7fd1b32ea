internal import BLEDBus
internal import Glibc

/// Another program on a daemon's bus, that does what one's own does not expect.
///
/// It has a connection of its own, as any program has: it scans while another scans, takes a
/// characteristic's socket away, fills the advertising slots, reads what another is subscribed to.
/// Adapters and devices are numbers, as everywhere here; characteristics have UUIDs.
///
/// ```swift
/// let stranger = try await ForeignClient.open(on: bus.address)
/// try await stranger.advertise(5, with: 1)
/// await stranger.leave()
/// ```
public actor ForeignClient {
    private static let timeLimit: Duration = .seconds(5)
    private static let advertisement = "org.bluez.LEAdvertisement1"

    private nonisolated let connection: Connection

    /// The sockets that it holds until it leaves.
    private var sockets: [FileDescriptor] = []
    private var advertisementCount = 0

    /// The connection's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    private init(_ connection: Connection) {
        self.connection = connection
    }

    /// Connects to a bus.
    ///
    /// - Parameter address: the bus, `unix:path=…`.
    /// - Returns: the program; it leaves when nobody holds it any more.
    /// - Throws: ``ForeignClientError`` when the bus can't be reached.
    public static func open(on address: String) async throws -> ForeignClient {
        do {
            return ForeignClient(try await Connection.open(BusAddress(address)))
        } catch {
            throw ForeignClientError("connecting to the bus at \(address)", error)
        }
    }

    /// Leaves the bus, as a program that ends; returns when the bus has dropped it.
    public func leave() async {
        // A process that was just begun may have a copy of each until it has its own program.
        for socket in sockets { shutdown(socket.rawValue, Int32(SHUT_RDWR)) }
        sockets = []
        await connection.close()
        await connection.waitUntilDropped()
    }

    // MARK: - Adapters

    /// Scans, without a filter.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    /// - Throws: ``ForeignClientError``.
    public func startDiscovery(with adapter: Int) async throws {
        _ = try await call("StartDiscovery", of: "Adapter1", at: path(of: adapter))
    }

    /// Ends its scan.
    ///
    /// - Parameter adapter: 0 for `hci0`.
    /// - Throws: ``ForeignClientError``.
    public func stopDiscovery(with adapter: Int) async throws {
        _ = try await call("StopDiscovery", of: "Adapter1", at: path(of: adapter))
    }

    /// Advertises, so that fewer advertising slots are left for others; 5 are all there are.
    ///
    /// - Parameters:
    ///   - count: how many advertisements, beside those it has.
    ///   - adapter: 0 for `hci0`.
    /// - Throws: ``ForeignClientError``, with `org.bluez.Error.NotPermitted` when there are no slots.
    public func advertise(_ count: Int, with adapter: Int) async throws {
        let adapter = try await path(of: adapter)
        for _ in 0..<max(0, count) {
            advertisementCount += 1
            let path = ObjectPath.root.child("advertisement\(advertisementCount)")
            let interface = ExportedInterface(
                Self.advertisement,
                methods: [ExportedInterface.Method("Release") { $0.reply() }],
                properties: [ExportedInterface.Property("Type", "s")],
                values: ["Type": .string("broadcast")]
            )
            try await connection.export([interface], at: path)
            let body: [Value] = [.objectPath(path), .properties([:])]
            let manager = "LEAdvertisingManager1"
            _ = try await call("RegisterAdvertisement", of: manager, at: adapter, body)
        }
    }

    // MARK: - Devices

    /// Connects to a device.
    ///
    /// - Parameters:
    ///   - other: the device.
    ///   - adapter: the adapter that knows it.
    /// - Throws: ``ForeignClientError``.
    public func connect(to other: Int, with adapter: Int) async throws {
        _ = try await call("Connect", of: "Device1", at: path(of: other, below: adapter))
    }

    /// Ends the link to a device, whoever has made it.
    ///
    /// - Parameters:
    ///   - other: the device.
    ///   - adapter: the adapter that knows it.
    /// - Throws: ``ForeignClientError``.
    public func disconnect(from other: Int, with adapter: Int) async throws {
        _ = try await call("Disconnect", of: "Device1", at: path(of: other, below: adapter))
    }

    // MARK: - Characteristics

    /// Reads; everybody who is subscribed gets the value, as if it had been notified.
    ///
    /// - Parameters:
    ///   - uuid: the characteristic, short or long.
    ///   - other: the device that has it.
    ///   - adapter: the adapter that knows the device.
    /// - Returns: the value.
    /// - Throws: ``ForeignClientError``.
    public func read(_ uuid: String, of other: Int, with adapter: Int) async throws -> [UInt8] {
        try await call("ReadValue", uuid, other, adapter, [.properties([:])]).first?.bytes ?? []
    }

    /// Subscribes.
    ///
    /// - Parameters:
    ///   - uuid: the characteristic, short or long.
    ///   - other: the device that has it.
    ///   - adapter: the adapter that knows the device.
    /// - Throws: ``ForeignClientError``.
    public func startNotify(_ uuid: String, of other: Int, with adapter: Int) async throws {
        _ = try await call("StartNotify", uuid, other, adapter)
    }

    /// Unsubscribes; where somebody holds a socket for notifications, that one ends instead.
    ///
    /// Source: BlueZ, src/gatt-client.c, `characteristic_stop_notify`.
    ///
    /// - Parameters:
    ///   - uuid: the characteristic, short or long.
    ///   - other: the device that has it.
    ///   - adapter: the adapter that knows the device.
    /// - Throws: ``ForeignClientError``.
    public func stopNotify(_ uuid: String, of other: Int, with adapter: Int) async throws {
        _ = try await call("StopNotify", uuid, other, adapter)
    }

    /// Takes the notifications into a socket, until it leaves; nobody else gets them then.
    ///
    /// - Parameters:
    ///   - uuid: the characteristic, short or long.
    ///   - other: the device that has it.
    ///   - adapter: the adapter that knows the device.
    /// - Throws: ``ForeignClientError``.
    public func acquireNotify(_ uuid: String, of other: Int, with adapter: Int) async throws {
        try await acquire("AcquireNotify", uuid, other, adapter)
    }

    /// Takes the writes into a socket, until it leaves; nobody else can write then.
    ///
    /// - Parameters:
    ///   - uuid: the characteristic, short or long.
    ///   - other: the device that has it.
    ///   - adapter: the adapter that knows the device.
    /// - Throws: ``ForeignClientError``.
    public func acquireWrite(_ uuid: String, of other: Int, with adapter: Int) async throws {
        try await acquire("AcquireWrite", uuid, other, adapter)
    }

    private func acquire(
        _ member: String,
        _ uuid: String,
        _ other: Int,
        _ adapter: Int
    ) async throws {
        let body = try await call(member, uuid, other, adapter, [.properties([:])])
        if let socket = body.first?.descriptor { sockets.append(socket) }
    }

    // MARK: - Objects

    private func call(
        _ member: String,
        _ uuid: String,
        _ other: Int,
        _ adapter: Int,
        _ body: [Value] = []
    ) async throws -> [Value] {
        let device = try await path(of: other, below: adapter)
        let long = BluetoothUUIDText.normalized(uuid) ?? uuid
        let path = try await object(of: "GattCharacteristic1", within: device, "UUID", long)
        return try await call(member, of: "GattCharacteristic1", at: path, body)
    }

    private func path(of adapter: Int) async throws -> ObjectPath {
        let address = VirtualAdapter.address(of: adapter)
        return try await object(of: "Adapter1", within: .root, "Address", address)
    }

    private func path(of other: Int, below adapter: Int) async throws -> ObjectPath {
        let adapter = try await path(of: adapter)
        let address = VirtualAdapter.address(of: other)
        return try await object(of: "Device1", within: adapter, "Address", address)
    }

    /// Finds the object whose property has a value.
    private func object(
        of interface: String,
        within above: ObjectPath,
        _ property: String,
        _ value: String
    ) async throws -> ObjectPath {
        let name = "org.bluez." + interface
        let objects = try await call(
            "GetManagedObjects",
            at: .root,
            "org.freedesktop.DBus.ObjectManager"
        )
        for object in objects.first?.entries ?? [] {
            guard let path = object.key.objectPath, path.isWithin(above) else { continue }
            let found = (object.value.entries ?? []).first { $0.key.string == name }
            if found?.value.properties?[property]?.string == value { return path }
        }
        throw ForeignClientError("looking for a \(interface) with \(property) \(value)", nil)
    }

    private func call(
        _ member: String,
        of interface: String,
        at path: ObjectPath,
        _ body: [Value] = []
    ) async throws -> [Value] {
        try await call(member, at: path, "org.bluez." + interface, body)
    }

    private func call(
        _ member: String,
        at path: ObjectPath,
        _ interface: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        do {
            let bluez = VirtualDaemon.busName
            let call = try Message.methodCall(to: bluez, at: path, interface, member, body)
            return try await connection.call(call, timeLimit: Self.timeLimit).body()
        } catch {
            throw ForeignClientError("\(member) on \(path.rawValue)", error)
        }
    }
}
