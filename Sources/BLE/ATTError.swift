/// The byte with which a GATT server refuses a request.
///
/// Unknown codes are kept as they came. 0x80 to 0x9F belong to the application.
///
/// Source: Core specification, Vol 3, Part F, 3.4.1.1.
public struct ATTError: Error, Hashable, Sendable, RawRepresentable {
    /// The code, as it travels.
    public let rawValue: UInt8

    /// A refusal.
    ///
    /// - Parameter rawValue: the code, as it travels.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// 0x01: there is no such attribute.
    public static let invalidHandle = ATTError(rawValue: 0x01)
    /// 0x02: the attribute cannot be read.
    public static let readNotPermitted = ATTError(rawValue: 0x02)
    /// 0x03: the attribute cannot be written.
    public static let writeNotPermitted = ATTError(rawValue: 0x03)
    /// 0x06: the server does not support the request.
    public static let requestNotSupported = ATTError(rawValue: 0x06)
    /// 0x07: the offset is past the end of the attribute.
    public static let invalidOffset = ATTError(rawValue: 0x07)
    /// 0x08: the attribute asks for authorization.
    public static let insufficientAuthorization = ATTError(rawValue: 0x08)
    /// 0x0A: there is no attribute in the range that was asked for.
    public static let attributeNotFound = ATTError(rawValue: 0x0A)
    /// 0x0D: the value has a length that the attribute does not take.
    public static let invalidValueLength = ATTError(rawValue: 0x0D)
    /// 0x0E: something went wrong that the server did not expect.
    public static let unlikelyError = ATTError(rawValue: 0x0E)
    /// 0x12: the server's attributes have changed, and the client does not know that yet.
    public static let databaseOutOfSync = ATTError(rawValue: 0x12)
    /// 0xFD: the client configuration does not suit the request.
    public static let improperlyConfigured = ATTError(rawValue: 0xFD)
    /// 0xFE: an earlier request has not been answered yet.
    public static let procedureAlreadyInProgress = ATTError(rawValue: 0xFE)

    /// Whether the code says that the server no longer has what the client found: its services went, or
    /// were published anew.
    ///
    /// Source: Core specification, Vol 3, Part F, 3.4.1.1; for 0x12 Part G, 2.5.2.1.
    package var meansChangedServices: Bool {
        [.invalidHandle, .attributeNotFound, .databaseOutOfSync].contains(self)
    }

    /// Whether the code's meaning is the application's own: 0x80 to 0x9F.
    public var isApplicationError: Bool { (0x80...0x9F).contains(rawValue) }
}

extension ATTError: CustomStringConvertible {
    /// The code in two hexadecimal digits, `ATT 0x0E`.
    public var description: String {
        let digits = String(rawValue, radix: 16, uppercase: true)
        return "ATT 0x" + (digits.count == 1 ? "0" : "") + digits
    }
}
