/// Why a link ended, as one of its ends sees it.
///
/// Source: BlueZ, doc/org.bluez.Device.rst, `Disconnected`.
enum EndReason {
    /// By this end.
    case local
    /// By the other end.
    case remote
    /// The other end was no longer received.
    case timeout
    /// The adapter is gone, or pairing has failed.
    case unknown

    var name: String {
        switch self {
        case .local: "org.bluez.Reason.Local"
        case .remote: "org.bluez.Reason.Remote"
        case .timeout: "org.bluez.Reason.Timeout"
        case .unknown: "org.bluez.Reason.Unknown"
        }
    }

    var message: String {
        switch self {
        case .local: "Connection terminated by local host"
        case .remote: "Connection terminated by remote user"
        case .timeout: "Connection timeout"
        case .unknown: "Unspecified"
        }
    }
}
