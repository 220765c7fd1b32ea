import BLEDBus
import BLELocking

/// A connection that many raw askers share, each on an adapter of its own; it hands what the daemon
/// tells of an adapter to whom that belongs.
///
/// Sharing keeps a test of many askers quick: each connection hears what happens to any of them.
final class AskersBus: Sendable {
    /// What the daemon tells.
    enum Event: Sendable {
        /// An object below the adapter is new, with the UUID of a characteristic if it is one.
        case added(ObjectPath, uuid: String?)
        case changed(ObjectPath, [String: Value])
    }

    let connection: Connection
    private let listeners = Locked<[String: AsyncStream<Event>.Continuation]>([:])

    init(_ address: String) async throws {
        connection = try await Connection.open(BusAddress(address))
        await connection.onDisconnect { [self] _ in
            for listener in listeners.withLock({ $0.values }) { listener.finish() }
        }
        try await connection.subscribe(to: MatchRule(sender: "org.bluez")) { [self] signal in
            guard let body = try? signal.body(), let path = signal.path else { return }
            switch signal.member {
            case "InterfacesAdded":
                guard let object = body.first?.objectPath else { return }
                let characteristic = body.last?.properties?["org.bluez.GattCharacteristic1"]
                let uuid = characteristic?.properties?["UUID"]?.string
                tell(.added(object, uuid: uuid), of: object)
            case "PropertiesChanged":
                guard body.count == 3, let changed = body[1].properties else { return }
                tell(.changed(path, changed), of: path)
            default:
                break
            }
        }
    }

    /// What the daemon tells of an adapter, `hci1`.
    func events(of adapter: String) -> AsyncStream<Event> {
        let (events, listener) = AsyncStream.makeStream(of: Event.self)
        listeners.withLock { $0[adapter] = listener }
        return events
    }

    /// Calls the daemon.
    func call(
        _ path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        try await connection.call(path, interface, member, body)
    }

    /// `/org/bluez/hci1/dev_…` is the adapter's third element and below.
    private func tell(_ event: Event, of path: ObjectPath) {
        let parts = path.rawValue.split(separator: "/")
        guard parts.count > 2 else { return }
        _ = listeners.withLock { $0[String(parts[2])]?.yield(event) }
    }
}
