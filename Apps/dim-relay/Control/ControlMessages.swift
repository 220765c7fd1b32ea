/// What another command asks a node for; one line of JSON over the store's socket.
enum ControlRequest: Codable, Sendable {
    /// The user's own link, and the name that it is to have.
    case link(name: String?)
    /// Adds a contact.
    case add(link: String, replaces: Bool)
    /// All contacts.
    case contacts
    /// Remembers whether a contact's fingerprint was compared.
    case verify(contact: String, isVerified: Bool)
    /// Removes a contact with all messages.
    case remove(contact: String)
    /// Sends texts, and waits so long for their acknowledgements.
    case send(contact: String, texts: [String], seconds: Double)
    /// Sends a message once more, as a new one, and waits so long for its acknowledgement.
    case resend(contact: String, id: Int32, seconds: Double)
    /// Deletes the messages of a number with a contact.
    case delete(contact: String, id: Int32)
    /// Deletes all messages with a contact.
    case clear(contact: String)
    /// The newest messages with a contact; those of them that are the contact's are read then.
    case messages(contact: String, count: Int)
    /// The neighbours, and what was relayed.
    case who
}

/// What comes of a request: a line of JSON each, the last one of which is ``done`` or ``failed``; without that not all has come.
enum ControlReply: Codable, Sendable {
    case link(address: String, link: String, fingerprint: String)
    case added(contact: String, fingerprint: String)
    case contact(address: String, fingerprint: String, isVerified: Bool, unreadCount: Int)
    case removed(contact: String)
    case deleted(contact: String, id: Int32)
    case cleared(contact: String)
    case sent(contact: String, id: Int32)
    case delivered(contact: String, id: Int32)
    case message(StoredText)
    case neighbour(device: String, name: String, rssi: Int?, isHeard: Bool, hears: Bool?)
    case counters(NodeCounters)
    case done
    case failed(code: String, message: String, status: Int32, remedy: String?)

    /// A message of the store.
    struct StoredText: Codable, Sendable {
        let contact: String
        let id: Int32
        let isOutgoing: Bool
        let text: String
        let milliseconds: Int64
        let status: String
    }
}

/// What a node has done since it began.
struct NodeCounters: Codable, Sendable {
    var received = 0
    var delivered = 0
    var relayed = 0
    var originated = 0
    var replayed = 0
    /// By why.
    var unsent: [String: Int] = [:]
    /// By why.
    var dropped: [String: Int] = [:]
    /// By why.
    var ignored: [String: Int] = [:]
    var queued = 0
    var neighbours = 0
}
