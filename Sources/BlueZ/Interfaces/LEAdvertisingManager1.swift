internal import BLEDBus

/// Where an adapter takes advertisements.
///
/// Source: BlueZ, doc/org.bluez.LEAdvertisingManager.rst.
struct LEAdvertisingManager1 {
    static let interface = "org.bluez.LEAdvertisingManager1"

    /// The adapter.
    let path: ObjectPath
    var properties = PropertyMap()

    /// How many advertisements there are, of whichever program.
    var activeCount: Int? { properties["ActiveInstances"]?.integer }

    /// How many more there can be.
    var freeCount: Int? { properties["SupportedInstances"]?.integer }

    /// Advertises.
    ///
    /// bluetoothd reads the advertisement's properties before it replies.
    func registerAdvertisement(_ advertisement: ObjectPath) -> Message {
        .bluez(
            path,
            Self.interface,
            "RegisterAdvertisement",
            [.objectPath(advertisement), .properties([:])]
        )
    }

    func unregisterAdvertisement(_ advertisement: ObjectPath) -> Message {
        .bluez(path, Self.interface, "UnregisterAdvertisement", [.objectPath(advertisement)])
    }
}
