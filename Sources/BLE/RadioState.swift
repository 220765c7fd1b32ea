/// Whether a radio can be used.
public enum RadioState: Hashable, Sendable {
    /// Powered: it scans, connects and advertises.
    case on
    /// There, but without power.
    case off
    /// Not there: unplugged, or the system's Bluetooth service is not running.
    case absent
}
