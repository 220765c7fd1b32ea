public import BlueChat
public import BlueChatStore

/// Something that happened to an account.
public enum ChatAccountEvent: Sendable {
    /// Something happened to the messenger; what is to be kept of it is.
    case chat(ChatEvent)
    /// Something in the store has changed.
    case store(StoreChange)
    /// A friend for whom messages wait was called, which failed; it is tried again.
    case callFailed(FriendID, ChatError)
    /// What came from somebody could not be kept.
    case notKept(ChatStoreError)
}
