/// A radio whose system tells that connections have ended before it tells that the radio is off.
package protocol DelayedRadioState: Sendable {
    /// How long after the end of a connection the radio may turn out to be off.
    var stateDelay: Duration { get }
}

/// Whether a radio can be used.
public enum RadioState: Hashable, Sendable {
    /// Powered: it can scan, connect and advertise.
    case on
    /// Present, but not powered.
    case off
    /// Not present: unplugged, or the system's Bluetooth service is not running.
    case absent
}
