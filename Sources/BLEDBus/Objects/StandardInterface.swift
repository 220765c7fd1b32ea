internal import CBLEDBus

/// The interfaces that the D-Bus specification defines for every object.
enum StandardInterface {
    static let peer = "org.freedesktop.DBus.Peer"
    static let introspectable = "org.freedesktop.DBus.Introspectable"
    static let properties = "org.freedesktop.DBus.Properties"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"

    /// The machine's identity; `nil` where it has none.
    static var machineID: String? {
        guard let id = dbus_try_get_local_machine_id(nil) else { return nil }
        defer { dbus_free(id) }
        return String(cString: id)
    }
}
