/// A text from one user to another.
public struct RelayMessage: Hashable, Sendable {
    /// What identifies it among those of its sender.
    public let id: Int32
    /// Who has written it: a contact, whose key it was encrypted with.
    public let sender: RelayAddress
    /// To whom.
    public let receiver: RelayAddress
    /// What it says; it may have any characters.
    public let text: String
    /// What its encrypted text began with; empty when that is not known.
    package let nonce: [UInt8]

    /// Creates a message, as for a test of an archive.
    ///
    /// - Parameters:
    ///   - id: what identifies it among those of its sender.
    ///   - sender: who has written it.
    ///   - receiver: to whom.
    ///   - text: what it says.
    public init(id: Int32, sender: RelayAddress, receiver: RelayAddress, text: String) {
        self.init(id: id, sender: sender, receiver: receiver, text: text, nonce: [])
    }

    package init(
        id: Int32,
        sender: RelayAddress,
        receiver: RelayAddress,
        text: String,
        nonce: [UInt8]
    ) {
        self.id = id
        self.sender = sender
        self.receiver = receiver
        self.text = text
        self.nonce = nonce
    }
}
