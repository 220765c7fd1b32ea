/// How a characteristic's value can be used.
///
/// Source: Core specification, Vol 3, Part G, 3.3.1.1.
public struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The bits of the characteristic's declaration.
    public let rawValue: UInt8

    /// Creates properties from the bits of a declaration.
    ///
    /// - Parameter rawValue: the bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The value can be read.
    public static let read = CharacteristicProperties(rawValue: 0x02)
    /// The value can be written without a response; the client does not learn whether it was accepted.
    public static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// The value can be written; the server responds.
    public static let write = CharacteristicProperties(rawValue: 0x08)
    /// The server can notify clients of new values.
    public static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The server can indicate new values to clients, which confirm each one.
    public static let indicate = CharacteristicProperties(rawValue: 0x20)
}

extension CharacteristicProperties: CustomStringConvertible {
    private static let names: [(CharacteristicProperties, String)] = [
        (.read, "read"), (.writeWithoutResponse, "write without response"), (.write, "write"),
        (.notify, "notify"), (.indicate, "indicate"),
    ]

    /// The properties in words, `read, notify`; `none` when there are none.
    public var description: String {
        let words = Self.names.filter { contains($0.0) }.map(\.1)
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}
