/// What a person asks for in the input line.
enum Command: Hashable, Sendable {
    case who
    case friends
    case people(PersonCommand, name: String?)
    case rename(String)
    case file(String)
    case search(String)
    case edit(String?)
    case delete
    case resend
    case me
    case help
    case quit
}

/// What can be done with a person that a command may name.
enum PersonCommand: String, Hashable, Sendable, CaseIterable {
    case call
    case leave
    case add
    case remove
    case block
    case unblock
    case verify

    /// Why it can't be done with somebody; `nil` when it can.
    func refusal(_ person: Person) -> String? {
        let name = person.shownName()
        switch (self, person.kind) {
        case (.call, _) where person.isChatting: return "The chat with \(name) is on already."
        case (.call, .blocked), (.add, .blocked): return "\(name) is blocked: /unblock first."
        case (.leave, _) where !person.isChatting: return "No chat with \(name) is on."
        case (.add, .friend): return "\(name) is a friend already."
        case (.add, .requested): return "\(name) has been asked already."
        case (.add, .requestReceived): return nil
        case (.add, _) where person.isOriginal, (.verify, _) where person.isOriginal:
            return "\(name) has the original app, which has no keys."
        case (.remove, .stranger): return "\(name) is not among your friends."
        case (.block, .blocked): return "\(name) is blocked already."
        case (.unblock, .blocked): return nil
        case (.unblock, _): return "\(name) is not blocked."
        default: return nil
        }
    }
}
