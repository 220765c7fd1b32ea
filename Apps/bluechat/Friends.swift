import ArgumentParser
import BlueChatStore
import RadioCLI

/// Lists who is in the store.
struct Friends: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "List your friends, who wants to be one, and who is blocked.",
        discussion: """
            Each with the key, which tells friends of one name apart; the BlueChat app has
            none. Needs no radio. Without --store it is the store of the full-screen chat.
            """
    )

    @OptionGroup var stored: StoreOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: json)
        try await console.perform {
            try await stored.withStore { store in
                let waiting = try await store.waitingCounts()
                for conversation in try await store.conversations() {
                    show(conversation, waiting[conversation.friend.id] ?? 0, console)
                }
            }
        }
    }

    private func show(_ conversation: Conversation, _ waitingCount: Int, _ console: Console) {
        let friend = conversation.friend
        console.event([
            "event": "friend", "name": .string(friend.name), "key": .string("\(friend.id)"),
            "state": .string("\(friend.state)"), "verified": .integer(friend.isVerified ? 1 : 0),
            "unread": .integer(conversation.unreadCount), "waiting": .integer(waitingCount),
        ])
        guard !console.isJSON else { return }
        var facts = [Self.words(for: friend.state)]
        if friend.isVerified { facts.append("verified") }
        if friend.predecessor != nil { facts.append("has another key than before") }
        if conversation.unreadCount > 0 { facts.append("\(conversation.unreadCount) unread") }
        if waitingCount > 0 { facts.append("\(waitingCount) waiting") }
        let key = friend.id.isKey ? "  \(friend.id)" : ""
        console.result("\(friend.name)  \(facts.joined(separator: ", "))\(key)")
    }

    private static func words(for state: Friend.State) -> String {
        switch state {
        case .confirmed: "friend"
        case .requested: "asked"
        case .requestReceived: "wants to chat"
        case .blocked: "blocked"
        }
    }
}
