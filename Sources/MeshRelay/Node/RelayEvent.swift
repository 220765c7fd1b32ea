public import BLE

/// What happens to a node.
public enum RelayEvent: Sendable {
    /// It is published and advertised, and looks for neighbours.
    case becameReady
    /// It is not any more; it becomes ready again by itself unless it was stopped, or its radio closed for good.
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
    /// A contact has read messages; told once of each, though apps may say it again.
    case read([Int32], by: RelayAddress)
    /// A packet of others was sent on, or is kept for neighbours who come later: its number, and which device it came from.
    case relayed(Int32, from: PeerID)
    /// A message to a contact, which was kept, is not sent any more, and why. A `RelayAccount` tells it, no ``RelayNode`` alone.
    case failed(Int32, to: RelayAddress, RelayError)
    /// A contact's message could not be decrypted, which is not acknowledged: they have another key than is known, or
    /// somebody else uses their address.
    case undecipherable(RelayAddress)
    /// A message or a receipt could not be kept, and is taken when it comes again.
    case notKept(RelayError)
    /// Events were dropped, since whoever takes them took too long.
    case missed(RelayError)
}

extension RelayEvent {
    /// What happened, without texts and names: they are nobody's business.
    var summary: String {
        switch self {
        case .becameReady: "ready"
        case .becameUnready(let error): "not ready: \(error)"
        case .connected(let neighbour): "hears \(neighbour.id)"
        case .disconnected(let neighbour, let error):
            "does not hear \(neighbour.id) any more\(error.map { ": \($0)" } ?? "")"
        case .changed(let neighbour): "\(neighbour.id) has changed"
        case .received(let message): "message \(message.id), \(message.text.utf8.count) bytes"
        case .delivered(let id, _): "message \(id) was delivered"
        case .read(let ids, _): "\(ids.count) messages were read"
        case .relayed(let id, let peer): "packet \(id) of \(peer) was relayed"
        case .failed(let id, _, let error): "message \(id) is given up: \(error.code)"
        case .undecipherable: "a message could not be decrypted"
        case .notKept(let error), .missed(let error): "\(error)"
        }
    }
}
