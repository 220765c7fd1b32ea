import ArgumentParser
import BLEStorage
import BlueChatStore
import Glibc
import RadioCLI

/// The store, and somebody in it.
struct FriendOptions: ParsableArguments {
    @Argument(help: "A friend: the name, or the key, as 'bluechat friends' shows it.")
    var name: String

    @OptionGroup var stored: StoreOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    /// Does something with a friend.
    ///
    /// - Parameters:
    ///   - word: what is said when it is done.
    ///   - work: gets the store and the friend; `nil` when nobody of that name is there.
    /// - Throws: what `work` throws; `ChatStoreError`.
    func perform(
        _ word: String,
        _ work: @escaping @Sendable (ChatStore, Friend?) async throws -> Void
    ) async throws {
        let console = Console(command: "bluechat", isJSON: json)
        try await console.perform {
            try await stored.withStore { store in
                try await work(store, try await store.friend(called: name))
            }
            console.event(["event": .string(word), "name": .string(name)])
            if !console.isJSON { console.result("\(name): \(word)") }
        }
    }

    /// - Throws: that nobody of the name is there.
    func required(_ friend: Friend?) throws -> Friend {
        guard let friend else {
            throw ChatStoreError(.noSuchFriend, "there is no friend '\(name)' in the store")
        }
        return friend
    }
}

extension ChatStore {
    /// A friend by name or key.
    ///
    /// - Throws: `ChatStoreError` when several have the name.
    func friend(called name: String) throws -> Friend? {
        let friends = try friends()
        let keyed = friends.first { $0.id.isKey && "\($0.id)" == name }
        if let keyed { return keyed }
        // An original's address is a name, which others may have.
        let named = friends.filter { $0.name == name || $0.id == .address(name) }
        guard named.count < 2 else { throw ChatStoreError.ambiguous(name, named) }
        return named.first
    }
}

/// Makes somebody a friend.
struct Add: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Make somebody a friend: who has asked, is blocked, or has the BlueChat app.",
        discussion: "Nobody who is not in the store is asked: with the app, that needs no answer."
    )

    @OptionGroup var options: FriendOptions

    func run() async throws {
        try await options.perform("added") { [options] store, friend in
            if let friend {
                try await store.setState(.confirmed, of: friend.id)
            } else {
                try await store.addFriend(
                    .address(options.name),
                    toldName: options.name,
                    state: .confirmed
                )
            }
        }
    }
}

/// Removes a friend.
struct Remove: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Remove a friend, and all messages with them."
    )

    @OptionGroup var options: FriendOptions

    func run() async throws {
        try await options.perform("removed") { [options] store, friend in
            try await store.removeFriend(try options.required(friend).id)
        }
    }
}

/// Blocks a friend.
struct Block: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Hear nothing of somebody any more; 'bluechat add' ends that."
    )

    @OptionGroup var options: FriendOptions

    func run() async throws {
        try await options.perform("blocked") { [options] store, friend in
            try await store.setState(.blocked, of: try options.required(friend).id)
        }
    }
}

/// Gives a friend a name.
struct Rename: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Give a friend another name; without one, the one that they gave themselves."
    )

    @OptionGroup var options: FriendOptions

    @Argument(help: "The new name.")
    var newName: String?

    func validate() throws {
        guard newName?.allSatisfy(\.isWhitespace) != true else {
            throw ValidationError("a name is not empty; leave it out for the one that they gave")
        }
    }

    func run() async throws {
        try await options.perform("renamed") { [options, newName] store, friend in
            try await store.rename(try options.required(friend).id, to: newName)
        }
    }
}

/// Shows messages.
struct History: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Show the newest messages, with one friend or all, or those with words.",
        discussion: "Needs no radio. Without --store it is the store of the full-screen chat."
    )

    @Argument(help: "A friend: the name, or the key. (default: all)")
    var name: String?

    @Option(help: ArgumentHelp("Only messages with these words.", valueName: "text"))
    var search: String?

    @Option(help: "How many messages at most, 1 to 500.")
    var count = 50

    @OptionGroup var stored: StoreOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    func validate() throws {
        guard (1...500).contains(count) else { throw ValidationError("--count is 1 to 500") }
    }

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: json)
        try await console.perform {
            try await stored.withStore { store in
                var friends = try await store.friends()
                if let name {
                    guard let friend = try await store.friend(called: name) else {
                        throw ChatStoreError(
                            .noSuchFriend,
                            "there is no friend '\(name)' in the store"
                        )
                    }
                    friends = [friend]
                }
                var messages: [StoredMessage] = []
                for friend in friends {
                    messages += try await page(with: friend.id, of: store).messages
                }
                let names = Dictionary(friends.map { ($0.id, $0.name) }) { $1 }
                for message in messages.sorted(by: { $0.number < $1.number }).suffix(count) {
                    show(message, names[message.friend] ?? "\(message.friend)", console)
                }
            }
        }
    }

    private func page(with friend: FriendID, of store: ChatStore) async throws -> MessagePage {
        guard let search else { return try await store.messages(with: friend, count: count) }
        return try await store.search(search, with: friend, count: count)
    }

    private func show(_ message: StoredMessage, _ name: String, _ console: Console) {
        let isOwn = message.direction == .outgoing
        let reason = message.state?.reason
        let deleted = message.deleted.map { Int($0.millisecondsSince1970) }
        console.event([
            "event": "message", "name": .string(name), "key": .string("\(message.friend)"),
            "id": .string("\(message.id)"), "direction": isOwn ? "outgoing" : "incoming",
            "text": .string(message.text), "file": message.file.map { .string($0.name) },
            "sent": .integer(Int(message.sent.millisecondsSince1970)),
            "state": message.state.map { .string($0.name) },
            "reason": reason.map { .string($0) }, "deleted": deleted.map { .integer($0) },
        ])
        guard !console.isJSON else { return }
        let said = message.file.map { "[\($0.name)]" } ?? message.text
        let text = message.deleted == nil ? said : "(deleted)"
        let state = message.state.map { " (\(Self.words(for: $0)))" } ?? ""
        console.result(
            "\(Self.time(message.sent.millisecondsSince1970))  "
                + (isOwn ? "to \(name): \(text)\(state)" : "\(name): \(text)")
        )
    }

    private static func words(for state: DeliveryState) -> String {
        if case .failed(let reason) = state { "failed: \(reason)" } else { state.name }
    }

    /// A time as the clock on the wall shows it.
    private static func time(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        var text = [UInt8](repeating: 0, count: 32)
        let count = text.withUnsafeMutableBytes { buffer in
            strftime(buffer.baseAddress, buffer.count, "%Y-%m-%d %H:%M", &parts)
        }
        return String(decoding: text.prefix(count), as: UTF8.self)
    }
}
