internal import BLE
internal import BLEDBus

/// Failures of `Device1.Connect` that a further attempt may get over.
extension BlueZError {
    /// Texts of `org.bluez.Error.Failed`.
    ///
    /// Words are those of BlueZ, src/error.c, `btd_error_str_le_conn_from_errno` (5.62 and later),
    /// or the C library's for the same error number (earlier ones). `le-connection-abort-by-local`
    /// and `br-connection-canceled` are also what bluetooth-devices/bleak-retry-connector takes for
    /// transient (`TRANSIENT_ERRORS`).
    static let transientTexts: Set<String> = [
        // The controller or the kernel gave up: interference, a scan in the way (hbldh/bleak#631).
        "le-connection-abort-by-local", "Software caused connection abort",
        // The peer, or its controller, dropped the link while it came about.
        "le-connection-abort-by-remote", "Connection reset by peer",
        "le-connection-refused", "Connection refused",
        "le-connection-timeout", "Connection timed out",
        "le-connection-link-layer-protocol-error", "Protocol error",
        // Another connection is being made by the controller.
        "le-connection-busy", "Device or resource busy",
        // HCI status 0x3e, "Connection Failed to be Established", has no error number of its own.
        "le-connection-unknown", "Function not implemented",
        // Both ends have called each other in the same instant; also without power, which is looked at before each attempt.
        "Input/output error",
        // Another attempt for the same device is under way, or is being cancelled: also one of ours
        // that was cancelled, for the 2 s that Disconnect takes. 5.66 says it so.
        "Operation already in progress", "br-connection-busy", "br-connection-canceled",
    ]

    /// Whether a connection that failed so may succeed a moment later.
    static func isTransient(_ error: RadioError) -> Bool {
        guard let reply = error.underlying as? ErrorReply else { return false }
        return reply.name == inProgress
            || reply.name == failed && transientTexts.contains(reply.text)
    }
}
