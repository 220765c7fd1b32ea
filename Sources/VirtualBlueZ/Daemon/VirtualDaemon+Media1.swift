internal import DBus

/// Media1: every adapter has it, and there is no audio.
///
/// Source: BlueZ, doc/media-api.txt.
extension VirtualDaemon {
    static let media1 = "org.bluez.Media1"

    var media: ExportedInterface {
        let things = [
            ("Endpoint", "endpoint"), ("Player", "player"), ("Application", "application"),
        ]
        var values = [
            "SupportedUUIDs": Value.strings(behavior.mediaUUIDs.map(BluetoothUUIDText.long))
        ]
        if behavior.showsMediaFeatures { values["SupportedFeatures"] = .strings([]) }
        return ExportedInterface(
            Self.media1,
            methods: things.flatMap { name, argument in
                [
                    method("Register" + name, [(argument, "o"), ("properties", "a{sv}")]) {
                        $1.fail(.notSupported)
                    },
                    method("Unregister" + name, [(argument, "o")]) { $1.fail(.doesNotExist) },
                ]
            },
            properties: [.init("SupportedUUIDs", "as"), .init("SupportedFeatures", "as")],
            values: values
        )
    }
}
