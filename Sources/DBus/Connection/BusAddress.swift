internal import Glibc

/// Where a bus listens, in the form of the D-Bus specification, "Server Addresses".
package struct BusAddress: Hashable, Sendable {
    package let rawValue: String

    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The system bus: what `DBUS_SYSTEM_BUS_ADDRESS` says, else its usual socket.
    package static var system: BusAddress {
        if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS") {
            let text = String(cString: address)
            if !text.isEmpty { return BusAddress(text) }
        }
        return BusAddress("unix:path=/run/dbus/system_bus_socket")
    }
}
