public import BLE

/// Something that happened to a messenger.
public enum ChatEvent: Sendable {
    /// Others can call, and can be called.
    case becameReady
    /// Nobody can call or be called, until ``becameReady``; also at the start, when the radio is not on.
    case becameUnready(ChatError)
    /// Somebody who can be called was found, of whom nothing was known before.
    case discovered(NearbyChatter)
    /// The name or the signal strength of somebody nearby has changed.
    case changed(NearbyChatter)
    /// Somebody is not seen any more.
    case lost(NearbyChatter)
    /// Looking for others was interrupted; it goes on by itself.
    case searchInterrupted(ChatError)
    /// A chat has begun, called by either end.
    case began(Chat)
    /// An original has sent a text.
    case received(String, Chat)
    /// The other end of an encrypted chat has sent a message.
    case receivedMessage(ChatMessage, Chat)
    /// A message of an encrypted chat has arrived.
    case delivered(MessageID, Chat)
    /// The other end of an encrypted chat cannot take a message.
    case refused(MessageID, Chat)
    /// Messages of an encrypted chat have been read.
    case read([MessageID], Chat)
    /// Somebody types in an encrypted chat, or has stopped.
    case typing(Bool, Chat)
    /// The other end of an encrypted chat has another name now.
    case renamed(String, Chat)
    /// The other end has sent something that is no text.
    case failedToReceive(ChatError, Chat)
    /// An original has called while a chat was on, and is disconnected: it would have read what is meant for the first.
    case refusedCaller(PeerID)
    /// A chat is over; with an error unless one of the two has left.
    case ended(Chat, ChatError?)
    /// Events were dropped, since whoever takes them took too long.
    case missed(ChatError)
}

/// Somebody who can be called.
public struct NearbyChatter: Hashable, Sendable, Identifiable {
    /// Whom to call.
    public let id: PeerID
    /// The name that is advertised, perhaps cut.
    public let name: String
    /// The smoothed signal strength.
    public let rssi: RSSI
}
