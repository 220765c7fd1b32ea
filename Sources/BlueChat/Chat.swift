public import BLE

/// A chat with one other device, from its beginning until one of the two leaves.
///
/// ```swift
/// let chat = try await messenger.call(bob.id)
/// try await chat.send("Hi 👋")
/// await chat.leave()
/// ```
public struct Chat: Sendable, Identifiable {
    /// Who called.
    public enum Origin: Hashable, Sendable {
        case outgoing
        case incoming
    }

    /// How many UTF-16 code units the original lets its user type.
    public static let maximumLength = 140

    /// Which chat of its messenger this is.
    public let id: Int
    /// The other end.
    public let peer: PeerID
    /// The name of the other end; `nil` when it is not known.
    ///
    /// In an encrypted chat it is what the messenger's archive calls them, else what they call themselves. With an original it is the
    /// name that it advertises, `nil` when it was never seen: a caller does not say its name.
    public let name: String?
    /// Who called.
    public let origin: Origin
    /// The other end's key, when it is of this library; then the chat is encrypted.
    public let key: ChatKey?

    private let messenger: Messenger

    init(
        id: Int,
        peer: PeerID,
        name: String?,
        origin: Origin,
        key: ChatKey? = nil,
        messenger: Messenger
    ) {
        self.id = id
        self.peer = peer
        self.name = name
        self.origin = origin
        self.key = key
        self.messenger = messenger
    }

    /// The name, or "(unknown)" as in the original.
    public var title: String { name ?? "(unknown)" }

    /// How many bytes of UTF-8 a text may have at present; `nil` when the chat is over.
    ///
    /// ``ChatMessage/maximumTextByteCount`` in an encrypted chat. In one with an original:
    /// The other end takes each packet as a text of its own, so that none is sent in several: MTU − 3, and at most 508.
    /// A callee knows no more than the shortest MTU, and so 20 bytes, until its caller has written where the system
    /// does not say.
    public var maximumByteCount: Int? {
        get async {
            if let key { return await messenger.maximumByteCount(of: self, with: key) }
            return await messenger.maximumByteCount(of: self)
        }
    }

    /// Sends a text after those before; returns when the other end has confirmed it.
    ///
    /// In an encrypted chat a text that was not confirmed when this fails is sent on, and in the next chat with the same
    /// key; it comes once. Where the messenger has a ``ChatArchive``, the next chat takes what waits from there alone.
    ///
    /// - Parameter text: 1 to ``maximumByteCount`` bytes of UTF-8.
    /// - Throws: ``ChatError``: ``ChatError/Code/empty``, ``ChatError/Code/tooLong``, ``ChatError/Code/notPrivate``, and
    ///   nothing was sent; ``ChatError/Code/refused``; ``ChatError/Code/notConfirmed``, ``ChatError/Code/timedOut``,
    ///   ``ChatError/Code/ended``, ``ChatError/Code/connectionFailed`` and what else the radio says, and then the other end may
    ///   have it; `CancellationError`, the same.
    public func send(_ text: String) async throws {
        if key == nil {
            try await messenger.send(text, in: self)
        } else {
            try await send(ChatMessage(.text(text), time: Messenger.now))
        }
    }

    /// Sends a message of an encrypted chat after those before; returns when the other end has confirmed it.
    ///
    /// - Parameter message: one that was not confirmed when this fails is sent on, and in the next chat with the same
    ///   key; it comes once, also when it is given to this once more.
    /// - Throws: ``ChatError``: ``ChatError/Code/notEncrypted``, ``ChatError/Code/full``, and nothing is sent;
    ///   ``ChatError/Code/refused``; ``ChatError/Code/timedOut``, ``ChatError/Code/ended``; `CancellationError`.
    public func send(_ message: ChatMessage) async throws {
        guard let key else {
            throw ChatError(
                .notEncrypted,
                "the message was not sent: \(title) takes texts alone, it is no end of this library"
            )
        }
        try await messenger.send(message, to: key, in: self)
    }

    /// Tells the other end of an encrypted chat that a message, and all before, have been read.
    ///
    /// - Parameter id: which.
    public func markRead(_ id: MessageID) async {
        await messenger.change(self) { $0.markRead(id) }
    }

    /// Tells the other end of an encrypted chat that somebody types, or has stopped.
    ///
    /// - Parameter isTyping: whether somebody types.
    public func setTyping(_ isTyping: Bool) async {
        await messenger.change(self) { $0.setTyping(isTyping) }
    }

    /// Leaves the chat: the other end notices.
    ///
    /// Returns when the connection has ended: a callee asks its caller to end it, and ends it after
    /// ``ChatTimeouts/leaving``. Does nothing when the chat is over.
    public func leave() async {
        if let key { await messenger.leave(self, with: key) } else { await messenger.leave(self) }
    }
}
