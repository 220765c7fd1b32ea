internal import Glibc

/// The address of a bus, in the form of the D-Bus specification, "Server Addresses".
package struct BusAddress: Hashable, Sendable {
    package let rawValue: String

    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The system bus: the address in `DBUS_SYSTEM_BUS_ADDRESS`, else the standard one.
    package static var system: BusAddress {
        if let address = getenv("DBUS_SYSTEM_BUS_ADDRESS") {
            let text = String(cString: address)
            if !text.isEmpty { return BusAddress(text) }
        }
        return BusAddress("unix:path=/run/dbus/system_bus_socket")
    }
}
