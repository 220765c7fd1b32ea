internal import BLEDBus
internal import Glibc

/// The byte that a server refuses a request with.
///
/// Source: Bluetooth Core specification, Vol 3, Part F, 3.4.1.1.
struct ATTCode: Error, Hashable {
    /// What was asked for.
    enum Request {
        case read
        case write
        case subscribe
    }

    let rawValue: UInt8

    static let invalidHandle = ATTCode(rawValue: 0x01)
    static let readNotPermitted = ATTCode(rawValue: 0x02)
    static let writeNotPermitted = ATTCode(rawValue: 0x03)
    static let requestNotSupported = ATTCode(rawValue: 0x06)
    static let invalidOffset = ATTCode(rawValue: 0x07)
    static let insufficientAuthorization = ATTCode(rawValue: 0x08)
    static let invalidLength = ATTCode(rawValue: 0x0d)
    static let unlikelyError = ATTCode(rawValue: 0x0e)
    static let databaseOutOfSync = ATTCode(rawValue: 0x12)
    static let firstOfApplications = ATTCode(rawValue: 0x80)
    static let improperlyConfigured = ATTCode(rawValue: 0xfd)
    static let procedureInProgress = ATTCode(rawValue: 0xfe)

    private static let rangeOfApplications: ClosedRange<UInt32> = 0x80...0x9f

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// What becomes of an application's error.
    ///
    /// Source: BlueZ, src/gatt-database.c, `dbus_error_to_att_ecode`.
    init(_ error: ErrorReply, to request: Request, knowsImproperlyConfigured: Bool) {
        switch error.name.rawValue {
        case "org.bluez.Error.ImproperlyConfigured" where knowsImproperlyConfigured:
            self = .improperlyConfigured
        case "org.bluez.Error.Failed": self.init(text: error.text)
        case "org.bluez.Error.NotSupported": self = .requestNotSupported
        case "org.bluez.Error.NotAuthorized": self = .insufficientAuthorization
        case "org.bluez.Error.InvalidValueLength": self = .invalidLength
        case "org.bluez.Error.InvalidOffset": self = .invalidOffset
        case "org.bluez.Error.InProgress": self = .procedureInProgress
        case "org.bluez.Error.NotPermitted":
            self = request == .read ? .readNotPermitted : .writeNotPermitted
        default: self = .unlikelyError
        }
    }

    /// The code that the text of a `Failed` names, as `strtol` reads it: decimal, or with `0` or `0x`; no text is 0.
    private init(text: String) {
        let number = text.withCString { text -> UInt32? in
            var end: UnsafeMutablePointer<CChar>?
            let number = strtol(text, &end, 0)
            return end?.pointee == 0 ? UInt32(truncatingIfNeeded: number) : nil
        }
        guard let number else {
            self = .firstOfApplications
            return
        }
        self =
            Self.rangeOfApplications.contains(number)
            ? ATTCode(rawValue: UInt8(number)) : .unlikelyError
    }

    /// What the central's call fails with.
    ///
    /// Source: BlueZ, src/gatt-client.c, `create_gatt_dbus_error`.
    var reply: ErrorReply {
        switch self {
        case .readNotPermitted: return .notPermitted("Read not permitted")
        case .writeNotPermitted: return .notPermitted("Write not permitted")
        case .requestNotSupported: return .notSupported
        case .insufficientAuthorization: return .notAuthorized
        case .invalidLength: return .invalidArguments("Invalid Length")
        case .invalidOffset: return .invalidArguments("Invalid offset")
        default:
            let digits = String(rawValue, radix: 16)
            let code = digits.count == 1 ? "0" + digits : digits
            return .failed("Operation failed with ATT error: 0x" + code)
        }
    }
}
