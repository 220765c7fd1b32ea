internal import BLE
internal import BLEDBus

/// What an application shows of an advertisement.
///
/// Source: BlueZ, doc/org.bluez.LEAdvertisement.rst.
enum LEAdvertisement1 {
    static let interface = "org.bluez.LEAdvertisement1"

    /// An advertisement to export.
    ///
    /// - Parameters:
    ///   - advertisement: what to say; it has been validated.
    ///   - release: called on the loop when bluetoothd takes the advertisement off the air.
    /// - Returns: what its object is exported with.
    static func exported(
        _ advertisement: Advertisement,
        release: @escaping @Sendable (MethodCall) -> Void
    ) -> ExportedInterface {
        ExportedInterface(
            interface,
            methods: [.init("Release", handler: release)],
            properties: [
                .init("Type", "s"), .init("Discoverable", "b"), .init("LocalName", "s"),
                .init("ServiceUUIDs", "as"), .init("ManufacturerData", "a{qv}"),
                .init("ServiceData", "a{sv}"), .init("Appearance", "q"), .init("Includes", "as"),
                .init("MinInterval", "u"), .init("MaxInterval", "u"),
            ],
            values: values(of: advertisement)
        )
    }

    /// The properties; what is not advertised is left out.
    private static func values(of advertisement: Advertisement) -> [String: Value] {
        var values: [String: Value] = [
            "Type": .string(advertisement.isConnectable ? "peripheral" : "broadcast")
        ]
        // Without it no general discoverable flag is sent; bluetoothd refuses it in a broadcast.
        if advertisement.isDiscoverable, advertisement.isConnectable {
            values["Discoverable"] = .bool(true)
        }
        if !advertisement.localName.isEmpty {
            values["LocalName"] = .string(advertisement.localName)
        }
        if !advertisement.serviceUUIDs.isEmpty {
            values["ServiceUUIDs"] = .strings(
                advertisement.serviceUUIDs.map { $0.longText.lowercased() }
            )
        }
        if !advertisement.manufacturerData.isEmpty {
            let entries = advertisement.manufacturerData.sorted { $0.key < $1.key }.map {
                Value.Entry(.uint16($0.key), .variant(.bytes($0.value)))
            }
            values["ManufacturerData"] = .dictionary(key: "q", value: "v", entries)
        }
        if !advertisement.serviceData.isEmpty {
            let entries = advertisement.serviceData.map {
                ($0.key.longText.lowercased(), Value.bytes($0.value))
            }
            values["ServiceData"] = .properties(Dictionary(uniqueKeysWithValues: entries))
        }
        if let appearance = advertisement.appearance { values["Appearance"] = .uint16(appearance) }
        if advertisement.includesTxPower { values["Includes"] = .strings(["tx-power"]) }
        if let interval = advertisement.interval {
            values["MinInterval"] = .uint32(milliseconds(interval.lowerBound))
            values["MaxInterval"] = .uint32(milliseconds(interval.upperBound))
        }
        return values
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: Int(duration / .milliseconds(1)))
    }
}
