/// What can be done with a characteristic.
///
/// Source: Core specification, Vol 3, Part G, 3.3.1.1.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The bits as they stand in the characteristic's declaration.
    public let rawValue: UInt8

    /// The properties of a declaration.
    ///
    /// - Parameter rawValue: the bits as they stand in the declaration.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Its value can be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// Its value can be written without a reply, so a refusal reaches nobody.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// Its value can be written, and the server replies.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The server tells its new values, unconfirmed.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The server tells its new values and waits for each to be confirmed.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
}
