internal import BLEDBus

/// What an advertisement says of a device.
extension RegisteredAdvertisement {
    /// The services that it shows a device to have.
    func services(_ behavior: Behavior) -> Set<String> {
        let data = behavior.countsServiceData ? serviceData : []
        return Set(serviceUUIDs).union(data.compactMap(\.key.string))
    }

    /// The properties of a device from which it is received.
    func properties(_ rssi: Int16, _ behavior: Behavior) -> [String: Value] {
        var properties: [String: Value] = [
            "RSSI": .int16(rssi),
            "UUIDs": .strings(services(behavior).sorted()),
        ]
        if behavior.showsAdvertisingFlags {
            properties["AdvertisingFlags"] = .bytes([flags])
        }
        if let name = name {
            properties["Name"] = .string(name)
            properties["Alias"] = .string(name)
        }
        if hasTransmitPower { properties["TxPower"] = .int16(0) }
        if let appearance = appearance {
            properties["Appearance"] = .uint16(appearance)
            properties["Icon"] = AppearanceIcon.name(of: appearance).map(Value.string)
        }
        if !manufacturerData.isEmpty {
            properties["ManufacturerData"] = .dictionary(
                key: "q",
                value: "v",
                manufacturerData
            )
        }
        if !serviceData.isEmpty {
            properties["ServiceData"] = .dictionary(
                key: "s",
                value: "v",
                serviceData
            )
        }
        return properties
    }
}
