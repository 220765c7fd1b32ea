public import BlueChat
public import BlueChatStore

/// Something that happened to an account.
public enum ChatAccountEvent: Sendable {
    /// Something happened to the messenger; what is to be kept of it is.
    case chat(ChatEvent)
    /// Something in the store has changed.
    case store(StoreChange)
    /// A text to an original could not leave, and why; it waits until they say something, or for the next chat.
    case postponed(MessageID, FriendID, ChatError)
    /// A friend for whom messages wait was called, which failed; it is tried again.
    case callFailed(FriendID, ChatError)
    /// What came from somebody could not be kept.
    case notKept(ChatStoreError)
}
