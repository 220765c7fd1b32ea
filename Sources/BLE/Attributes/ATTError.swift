/// The error code with which a GATT server refuses a request.
///
/// Unknown codes are kept. 0x80 to 0x9F are defined by the application.
///
/// Source: Core specification, Vol 3, Part F, 3.4.1.1; for 0xFC to 0xFF Supplement, Part B, 1.
public struct ATTError: Error, Hashable, Sendable, RawRepresentable {
    /// The code, one byte.
    public let rawValue: UInt8

    /// Creates an error from its code.
    ///
    /// - Parameter rawValue: the code.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 0x01: there is no such attribute.
    public static let invalidHandle = ATTError(rawValue: 0x01)
    /// 0x02: the attribute cannot be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// 0x03: the attribute cannot be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// 0x04: the request was malformed.
    public static let invalidPDU = ATTError(rawValue: 0x04)
    /// 0x05: the attribute requires authentication.
    public static let insufficientAuthentication = ATTError(rawValue: 0x05)
    /// 0x06: the server does not support the request.
    public static let requestNotSupported = ATTError(rawValue: 0x06)
    /// 0x07: the offset is past the end of the value.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// 0x08: the attribute requires authorization.
    public static let insufficientAuthorization = ATTError(rawValue: 0x08)
    /// 0x09: too many parts of long writes wait.
    public static let prepareQueueFull = ATTError(rawValue: 0x09)
    /// 0x0A: there is no attribute in the requested range.
    public static let attributeNotFound = ATTError(rawValue: 0x0A)
    /// 0x0B: the attribute cannot be read in parts.
    public static let attributeNotLong = ATTError(rawValue: 0x0B)
    /// 0x0C: the encryption key is too short.
    public static let encryptionKeyTooShort = ATTError(rawValue: 0x0C)
    /// 0x0D: the value is too long or too short for the attribute.
    public static let invalidValueLength = ATTError(rawValue: 0x0D)
    /// 0x0E: the request failed for a reason that has no code of its own.
    public static let unlikelyError = ATTError(rawValue: 0x0E)
    /// 0x0F: the attribute requires encryption.
    public static let insufficientEncryption = ATTError(rawValue: 0x0F)
    /// 0x10: the attribute type is no grouping one.
    public static let unsupportedGroupType = ATTError(rawValue: 0x10)
    /// 0x11: the server has no room for the request.
    public static let insufficientResources = ATTError(rawValue: 0x11)
    /// 0x12: the client's view of the server's attributes is out of date.
    public static let databaseOutOfSync = ATTError(rawValue: 0x12)
    /// 0x13: the value is not one that the attribute can have.
    public static let valueNotAllowed = ATTError(rawValue: 0x13)
    /// 0xFC: a write was refused for a reason that a profile defines.
    public static let writeRequestRejected = ATTError(rawValue: 0xFC)
    /// 0xFD: the client characteristic configuration does not allow the request.
    public static let improperlyConfigured = ATTError(rawValue: 0xFD)
    /// 0xFE: an earlier request is still in progress.
    public static let procedureAlreadyInProgress = ATTError(rawValue: 0xFE)
    /// 0xFF: the value is out of the range that a profile defines.
    public static let outOfRange = ATTError(rawValue: 0xFF)

    private static let names: [ATTError: String] = [
        .invalidHandle: "invalid handle",
        .readNotPermitted: "read not permitted",
        .writeNotPermitted: "write not permitted",
        .invalidPDU: "invalid PDU",
        .insufficientAuthentication: "insufficient authentication",
        .requestNotSupported: "request not supported",
        .invalidOffset: "invalid offset",
        .insufficientAuthorization: "insufficient authorization",
        .prepareQueueFull: "prepare queue full",
        .attributeNotFound: "attribute not found",
        .attributeNotLong: "attribute not long",
        .encryptionKeyTooShort: "encryption key size too short",
        .invalidValueLength: "invalid attribute value length",
        .unlikelyError: "unlikely error",
        .insufficientEncryption: "insufficient encryption",
        .unsupportedGroupType: "unsupported group type",
        .insufficientResources: "insufficient resources",
        .databaseOutOfSync: "database out of sync",
        .valueNotAllowed: "value not allowed",
        .writeRequestRejected: "write request rejected",
        .improperlyConfigured:
            "client characteristic configuration descriptor improperly configured",
        .procedureAlreadyInProgress: "procedure already in progress",
        .outOfRange: "out of range",
    ]

    /// The name that the Core specification or its Supplement gives the code, in lowercase; `nil` for a code that
    /// an application defines, and for one that has none.
    public var name: String? { Self.names[self] }

    /// Whether the code says that the server no longer has the attributes that the client discovered.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.4.1.1; for 0x12 Part G, 2.5.2.1.
    package var meansChangedServices: Bool {
        [.invalidHandle, .attributeNotFound, .databaseOutOfSync].contains(self)
    }

    /// Whether the code is defined by the application: 0x80 to 0x9F.
    public var isApplicationError: Bool { (0x80...0x9F).contains(rawValue) }
}

extension ATTError: CustomStringConvertible {
    /// The code as two hexadecimal digits, `ATT 0x0E`.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "ATT 0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
