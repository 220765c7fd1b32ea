internal import BLE
internal import BLEDBus

/// A refusal's byte, on its way over D-Bus in either direction.
///
/// What an application throws reaches bluetoothd as an error's name, travels as a byte, and comes
/// out of the other bluetoothd as a name and a text:
///
/// | byte | from the application | to the central |
/// |---|---|---|
/// | 0x02, 0x03 | NotPermitted | NotPermitted "Read not permitted", "Write not permitted" |
/// | 0x06 | NotSupported | NotSupported |
/// | 0x07 | InvalidOffset | InvalidArguments "Invalid offset" |
/// | 0x08 | NotAuthorized | NotAuthorized |
/// | 0x0D | InvalidValueLength | InvalidArguments "Invalid Length" |
/// | 0x05, 0x0C, 0x0F | – | NotPermitted "Not paired", read as 0x05 |
/// | 0x80–0x9F | Failed with the bare number | Failed "Operation failed with ATT error: 0x80" |
/// | 0xFD | ImproperlyConfigured (from 5.76 on, else 0x0E) | Failed, as above |
/// | 0xFE | InProgress | Failed, as above |
/// | any other | Failed "0x0e" arrives as 0x0E | Failed, as above |
///
/// Source: BlueZ, src/gatt-database.c, `dbus_error_to_att_ecode`; src/gatt-client.c,
/// `create_gatt_dbus_error`.
extension BlueZError {
    private static let prefix = "Operation failed with ATT error: 0x"

    /// The peer's refusal that a failed call reports; `nil` when it failed for another reason.
    static func refusal(_ reply: ErrorReply) -> ATTError? {
        switch (reply.name, reply.text) {
        case (notPermitted, "Read not permitted"): .readNotPermitted
        case (notPermitted, "Write not permitted"): .writeNotPermitted
        case (notPermitted, "Not paired"): .insufficientAuthentication
        case (notSupported, _): .requestNotSupported
        case (notAuthorized, _): .insufficientAuthorization
        case (invalidArguments, "Invalid offset"), (invalidOffset, _): .invalidOffset
        case (invalidArguments, "Invalid Length"), (invalidValueLength, _): .invalidValueLength
        case (failed, let text) where text.hasPrefix(prefix):
            UInt8(text.dropFirst(prefix.count), radix: 16).map(ATTError.init)
        default: nil
        }
    }

    /// The error that makes bluetoothd refuse with a code, or with the nearest one that it can send.
    static func reply(for refusal: ATTError) -> ErrorReply {
        switch refusal {
        case .readNotPermitted, .writeNotPermitted: ErrorReply(notPermitted)
        case .requestNotSupported: ErrorReply(notSupported)
        case .invalidOffset: ErrorReply(invalidOffset)
        case .insufficientAuthorization: ErrorReply(notAuthorized)
        case .invalidValueLength: ErrorReply(invalidValueLength)
        case .improperlyConfigured: ErrorReply(improperlyConfigured)
        case .procedureAlreadyInProgress: ErrorReply(inProgress)
        case _ where refusal.isApplicationError:
            ErrorReply(failed, "0x" + String(refusal.rawValue, radix: 16))
        default:
            // A number, as a text that is none arrives as 0x80; one that no application may use.
            ErrorReply(failed, "0x0e")
        }
    }
}
