internal import DBus

/// What outlasts a daemon: the adapters, the air between them, and what was known of devices.
struct Remains {
    /// Which adapters are plugged in.
    var adapters: [Int]
    var air = Air()
    var devices: [DeviceID: [String: Value]] = [:]
}
