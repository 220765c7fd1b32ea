internal import DBus

/// What outlasts a daemon: the adapters, the air between them, and what was known of devices.
struct Remains {
    /// Which adapters are plugged in.
    var adapters: [Int]
    /// Whether they were left on, as they are by one that is killed.
    var arePowered = true
    /// `nil` for one in which nothing has happened.
    var air: Air?
    var devices: [DeviceID: [String: Value]] = [:]
    var heardNames: [DeviceID: String] = [:]
    var names: [Int: Int] = [:]
    var blocked: Set<Int> = []
}
