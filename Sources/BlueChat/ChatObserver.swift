public import BLE

/// Who is told what happens to a messenger, one call at a time, in order; held weakly.
///
/// | here | in the original |
/// |---|---|
/// | ``messengerDidBecomeReady(_:)`` | `chatServerDidStart` and `chatClientDidBecomeReady`, both |
/// | ``messenger(_:didBecomeUnready:)`` | `chatServerDidFail`, `chatClientDidBecomeUnready` |
/// | ``messenger(_:didDiscover:)`` | `didFindChatServer` |
/// | ``messenger(_:didUpdate:)``, ``messenger(_:didLose:)`` | – |
/// | ``messenger(_:searchWasInterrupted:)`` | `searchInterrupted` |
/// | ``messenger(_:didBegin:)`` | `chatClientDidCome`, `didConnectToChatServer` |
/// | the error of ``Messenger/call(_:)`` | `didFailToConnectToChatServer` |
/// | ``messenger(_:didReceive:in:)`` | `newMessageDidCome` |
/// | ``messenger(_:didReceiveMessage:in:)``, ``messenger(_:didDeliver:in:)``, ``messenger(_:didRefuse:in:)`` | – |
/// | ``messenger(_:didRead:in:)``, ``messenger(_:isTyping:in:)``, ``messenger(_:didRename:in:)`` | – |
/// | ``messenger(_:didFailToReceive:in:)`` | – |
/// | ``messenger(_:didEnd:because:)`` | `chatRoomDidClose` |
public protocol ChatObserver: AnyObject, Sendable {
    /// Others can call, and can be called.
    ///
    /// - Parameter messenger: the messenger.
    func messengerDidBecomeReady(_ messenger: Messenger) async

    /// Nobody can call or be called, until ``messengerDidBecomeReady(_:)``.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - error: why.
    func messenger(_ messenger: Messenger, didBecomeUnready error: ChatError) async

    /// Somebody who can be called was found.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - chatter: who.
    func messenger(_ messenger: Messenger, didDiscover chatter: NearbyChatter) async

    /// The name or the signal strength of somebody nearby has changed.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - chatter: who, as known now.
    func messenger(_ messenger: Messenger, didUpdate chatter: NearbyChatter) async

    /// Somebody is not seen any more.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - chatter: who.
    func messenger(_ messenger: Messenger, didLose chatter: NearbyChatter) async

    /// Looking for others was interrupted; it goes on by itself.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - error: why.
    func messenger(_ messenger: Messenger, searchWasInterrupted error: ChatError) async

    /// A chat has begun, called by either end.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, didBegin chat: Chat) async

    /// An original has sent a text.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - text: the text, which is not empty: ``messenger(_:didFailToReceive:in:)`` tells of one that is.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, didReceive text: String, in chat: Chat) async

    /// The other end of an encrypted chat has sent a message.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - message: the message; a change of another one is to be dropped unless both have the same author.
    ///   - chat: the chat.
    func messenger(
        _ messenger: Messenger,
        didReceiveMessage message: ChatMessage,
        in chat: Chat
    ) async

    /// A message of an encrypted chat has arrived.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - id: which.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, didDeliver id: MessageID, in chat: Chat) async

    /// The other end of an encrypted chat cannot take a message; it is not sent again.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - id: which.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, didRefuse id: MessageID, in chat: Chat) async

    /// The other end of an encrypted chat has read messages.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - ids: which, the oldest first.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, didRead ids: [MessageID], in chat: Chat) async

    /// Somebody types in an encrypted chat, or has stopped.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - isTyping: whether somebody types.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, isTyping: Bool, in chat: Chat) async

    /// The other end of an encrypted chat has another name now.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - name: the name.
    ///   - chat: the chat.
    func messenger(_ messenger: Messenger, didRename name: String, in chat: Chat) async

    /// The other end has sent something that is no text; or events were dropped.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - error: what came, or how many events were dropped.
    ///   - chat: the chat; `nil` for dropped events.
    func messenger(
        _ messenger: Messenger,
        didFailToReceive error: ChatError,
        in chat: Chat?
    ) async

    /// An original has called while a chat was on, and is disconnected.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - caller: who.
    func messenger(_ messenger: Messenger, didRefuseCaller caller: PeerID) async

    /// A chat is over.
    ///
    /// - Parameters:
    ///   - messenger: the messenger.
    ///   - chat: the chat.
    ///   - error: why; `nil` when one of the two has left.
    func messenger(_ messenger: Messenger, didEnd chat: Chat, because error: ChatError?) async
}

extension ChatObserver {
    /// Does nothing.
    public func messengerDidBecomeReady(_ messenger: Messenger) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didBecomeUnready error: ChatError) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didDiscover chatter: NearbyChatter) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didUpdate chatter: NearbyChatter) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didLose chatter: NearbyChatter) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, searchWasInterrupted error: ChatError) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didBegin chat: Chat) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didReceive text: String, in chat: Chat) async {}
    /// Does nothing.
    public func messenger(
        _ messenger: Messenger,
        didReceiveMessage message: ChatMessage,
        in chat: Chat
    ) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didDeliver id: MessageID, in chat: Chat) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didRefuse id: MessageID, in chat: Chat) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didRead ids: [MessageID], in chat: Chat) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, isTyping: Bool, in chat: Chat) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didRename name: String, in chat: Chat) async {}
    /// Does nothing.
    public func messenger(
        _ messenger: Messenger,
        didFailToReceive error: ChatError,
        in chat: Chat?
    ) async {}
    /// Does nothing.
    public func messenger(_ messenger: Messenger, didRefuseCaller caller: PeerID) async {}
    /// Does nothing.
    public func messenger(
        _ messenger: Messenger,
        didEnd chat: Chat,
        because error: ChatError?
    ) async {}
}

extension ChatEvent {
    /// Calls an observer.
    func deliver(to observer: any ChatObserver, from messenger: Messenger) async {
        switch self {
        case .becameReady: await observer.messengerDidBecomeReady(messenger)
        case .becameUnready(let error):
            await observer.messenger(messenger, didBecomeUnready: error)
        case .discovered(let chatter): await observer.messenger(messenger, didDiscover: chatter)
        case .changed(let chatter): await observer.messenger(messenger, didUpdate: chatter)
        case .lost(let chatter): await observer.messenger(messenger, didLose: chatter)
        case .searchInterrupted(let error):
            await observer.messenger(messenger, searchWasInterrupted: error)
        case .began(let chat): await observer.messenger(messenger, didBegin: chat)
        case .received(let text, let chat):
            await observer.messenger(messenger, didReceive: text, in: chat)
        case .receivedMessage(let message, let chat):
            await observer.messenger(messenger, didReceiveMessage: message, in: chat)
        case .delivered(let id, let chat):
            await observer.messenger(messenger, didDeliver: id, in: chat)
        case .refused(let id, let chat):
            await observer.messenger(messenger, didRefuse: id, in: chat)
        case .read(let ids, let chat): await observer.messenger(messenger, didRead: ids, in: chat)
        case .typing(let isTyping, let chat):
            await observer.messenger(messenger, isTyping: isTyping, in: chat)
        case .renamed(let name, let chat):
            await observer.messenger(messenger, didRename: name, in: chat)
        case .failedToReceive(let error, let chat):
            await observer.messenger(messenger, didFailToReceive: error, in: chat)
        case .refusedCaller(let peer):
            await observer.messenger(messenger, didRefuseCaller: peer)
        case .ended(let chat, let error):
            await observer.messenger(messenger, didEnd: chat, because: error)
        case .missed(let error):
            await observer.messenger(messenger, didFailToReceive: error, in: nil)
        }
    }
}
