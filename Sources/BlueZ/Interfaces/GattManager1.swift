internal import BLEDBus

/// Where an adapter takes applications: trees of services to serve.
///
/// Source: BlueZ, doc/org.bluez.GattManager.rst.
struct GattManager1 {
    static let interface = "org.bluez.GattManager1"

    /// The adapter.
    let path: ObjectPath

    /// Serves an application.
    ///
    /// bluetoothd calls `GetManagedObjects` on it before it replies.
    func registerApplication(_ application: ObjectPath) -> Message {
        .bluez(
            path,
            Self.interface,
            "RegisterApplication",
            [.objectPath(application), .properties([:])]
        )
    }

    func unregisterApplication(_ application: ObjectPath) -> Message {
        .bluez(path, Self.interface, "UnregisterApplication", [.objectPath(application)])
    }
}
