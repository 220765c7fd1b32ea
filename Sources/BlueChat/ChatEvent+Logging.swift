extension ChatEvent {
    /// What happened, without texts: they are nobody's business.
    var summary: String {
        switch self {
        case .becameReady: "ready"
        case .becameUnready(let error): "not ready: \(error)"
        case .discovered(let chatter): "discovered '\(chatter.name)'"
        case .changed(let chatter): "changed: '\(chatter.name)'"
        case .lost(let chatter): "lost '\(chatter.name)'"
        case .searchInterrupted(let error): "the search was interrupted: \(error)"
        case .began(let chat): "a chat with \(chat.title) began"
        case .received(let text, let chat): "\(text.utf8.count) bytes of \(chat.title)"
        case .receivedMessage(let message, let chat): "message \(message.id) of \(chat.title)"
        case .delivered(let id, let chat): "message \(id) is with \(chat.title)"
        case .refused(let id, let chat): "\(chat.title) cannot take message \(id)"
        case .read(let ids, let chat): "\(chat.title) has read \(ids.count) messages"
        case .typing(let isTyping, let chat): "\(chat.title) \(isTyping ? "types" : "has stopped")"
        case .renamed(let name, let chat): "\(chat.title) is '\(name)' now"
        case .failedToReceive(let error, _): "\(error)"
        case .refusedCaller(let peer): "\(peer) called while a chat was on"
        case .ended(let chat, let error):
            "the chat with \(chat.title) ended\(error.map { ": \($0)" } ?? "")"
        case .missed(let error): "\(error)"
        }
    }
}
