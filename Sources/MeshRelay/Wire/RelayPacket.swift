/// What one notification carries: a message or a receipt, from somebody to somebody.
///
/// Each node that is not meant sends it on.
public struct RelayPacket: Hashable, Sendable {
    /// What a packet is.
    public enum Kind: Int, Hashable, Sendable {
        /// A text, encrypted.
        case message = 0
        /// A message has come: ``RelayReceipt/received(_:)``.
        case acknowledgement = 1
        /// Messages have been read: ``RelayReceipt/read(_:)``.
        case read = 2
        /// Where somebody is. The app has the number and never sends it.
        case position = 3
    }

    /// What identifies a packet of its sender's: 0 to 2,147,483,647, by chance.
    public var id: Int32
    /// What it is.
    public var kind: Kind
    /// The address of who has made it, as it says; nobody vouches for it.
    public var sender: String
    /// The address of who is meant.
    public var receiver: String
    /// Of a message its text, encrypted, in base64; of a receipt that in plain text.
    public var text: String

    /// Creates a packet.
    ///
    /// - Parameters:
    ///   - id: 0 or more.
    ///   - kind: what it is.
    ///   - sender: the address of who makes it.
    ///   - receiver: the address of who is meant.
    ///   - text: of a message its text, encrypted, in base64; of a receipt that in plain text.
    public init(id: Int32, kind: Kind, sender: String, receiver: String, text: String) {
        precondition(id >= 0, "a packet's id is not negative")
        self.id = id
        self.kind = kind
        self.sender = sender
        self.receiver = receiver
        self.text = text
    }
}
