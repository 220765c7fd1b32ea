/// What happens to a node.
public enum RelayEvent: Sendable {
    /// It is published and advertised, and looks for neighbours.
    case becameReady
    /// It is not any more; it becomes ready again by itself unless it was stopped.
    case becameUnready(RelayError)
    /// A neighbour's packets are heard from now on.
    case connected(RelayNeighbour)
    /// A neighbour's packets are not heard any more; it is tried again by itself. With why, unless this end has ended it.
    case disconnected(RelayNeighbour, RelayError?)
    /// Something about a neighbour has changed: its name, or whether it hears this node.
    case changed(RelayNeighbour)
    /// A contact's message has come; that is acknowledged.
    case received(RelayMessage)
    /// A message has come to a contact.
    case delivered(Int32, to: RelayAddress)
    /// A contact has read messages.
    case read([Int32], by: RelayAddress)
    /// A contact's message could not be decrypted, which is not acknowledged: they have another key than is known, or
    /// somebody else uses their address.
    case undecipherable(RelayAddress)
    /// A message or a receipt could not be kept, and is taken when it comes again.
    case notKept(RelayError)
    /// Events were dropped, since whoever takes them took too long.
    case missed(RelayError)
}
