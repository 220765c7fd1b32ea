/// Whether a radio can be used.
public enum RadioState: Hashable, Sendable {
    /// Powered: it can scan, connect and advertise.
    case on
    /// Present, but not powered.
    case off
    /// Not present: unplugged, or the system's Bluetooth service is not running.
    case absent
}
