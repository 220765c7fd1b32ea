internal import BLE
internal import DBus

/// What an application shows of an advertisement.
///
/// Source: BlueZ, doc/org.bluez.LEAdvertisement.rst.
enum LEAdvertisement1 {
    static let interface = "org.bluez.LEAdvertisement1"

    /// An advertisement to export.
    ///
    /// It is discoverable, or scans without a filter would not report it.
    ///
    /// - Parameters:
    ///   - advertisement: what to say; it has been validated.
    ///   - release: called on the loop when bluetoothd takes the advertisement off the air.
    /// - Returns: what its object is exported with.
    static func exported(
        _ advertisement: Advertisement,
        release: @escaping @Sendable (MethodCall) -> Void
    ) -> ExportedInterface {
        var values: [String: Value] = [
            "Type": .string("peripheral"), "Discoverable": .bool(true),
        ]
        if !advertisement.localName.isEmpty {
            values["LocalName"] = .string(advertisement.localName)
        }
        if !advertisement.serviceUUIDs.isEmpty {
            values["ServiceUUIDs"] = .strings(
                advertisement.serviceUUIDs.map { $0.description.lowercased() }
            )
        }
        return ExportedInterface(
            interface,
            methods: [.init("Release", handler: release)],
            properties: [
                .init("Type", "s"), .init("Discoverable", "b"), .init("LocalName", "s"),
                .init("ServiceUUIDs", "as"),
            ],
            values: values
        )
    }
}
