internal import BLEDBus

/// What a daemon stores of devices, and its successor reads.
struct DeviceStorage {
    /// The properties of those that there was a link to, while they have no object.
    var properties: [DeviceID: [String: Value]] = [:]

    /// The names that were last advertised.
    var advertisedNames: [DeviceID: String] = [:]
}
