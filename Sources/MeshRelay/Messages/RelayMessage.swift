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

    /// Creates a message, as for a test of an archive.
    ///
    /// - Parameters:
    ///   - id: what identifies it among those of its sender.
    ///   - sender: who has written it.
    ///   - receiver: to whom.
    ///   - text: what it says.
    public init(id: Int32, sender: RelayAddress, receiver: RelayAddress, text: String) {
        self.id = id
        self.sender = sender
        self.receiver = receiver
        self.text = text
    }
}
