import ArgumentParser
import BLE
import BlueChat
import BlueChatAccount
import BlueChatStore
import RadioCLI

/// Sends texts to somebody.
struct Send: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Call somebody, send texts, and leave.",
        discussion: """
            Each argument after the name is a text; without any, each line of standard
            input is. It ends when the last one was confirmed, or fails at the first that
            was not. What a friend did not get waits, with all that comes after it, and goes
            when 'bluechat' or 'bluechat listen' runs and the friend is near. While one of
            these runs with your own store, this is somebody else of your name, of whom
            nothing is kept.
            """
    )

    @Argument(help: "The name of the other one, as 'bluechat who' or 'friends' shows it.")
    var to: String

    @Argument(help: "The texts.")
    var texts: [String] = []

    @Option(name: .customLong("file"), help: "Send a file, up to 256 KiB, before the texts.")
    var files: [String] = []

    @Option(help: "Look for the other one for this many seconds.")
    var wait: Double = 10

    @OptionGroup var options: ChatOptions

    func validate() throws {
        guard wait >= 0, wait <= 86_400 else {
            throw ValidationError("--wait is 0 to 86400 seconds")
        }
    }

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: options.radio.json)
        try await console.perform {
            try await options.stored.withStoreOrTemporary(console) { store, isKept in
                try await options.withAccount(console, in: store) { account, _ in
                    var items = Items(files: files[...], texts: lines)
                    var friend: FriendID?
                    do {
                        try await send(&items, from: account, to: &friend, console)
                    } catch let error as ChatError where isKept && !error.isOfTheContent {
                        try await keep(&items, for: friend, in: account, error, console)
                    }
                }
            }
        }
    }

    /// Says who the friend is as soon as that is known.
    private func send(
        _ items: inout Items,
        from account: ChatAccount,
        to friend: inout FriendID?,
        _ console: Console
    ) async throws {
        console.progress("looking for '\(to)'")
        let person = try await account.find(named: to, within: .seconds(wait))
        console.progress("calling '\(person.name)'")
        friend = person.friend?.id
        let chat = try await account.call(person.id)
        friend = account.friend(of: chat)
        let name = try await account.name(of: chat)
        console.event(chat.began(named: name))
        console.progress("a chat with \(chat.announcement(of: name ?? chat.title))")
        do {
            while let item = try await items.next() {
                try await deliver(item, in: chat, of: account, console)
            }
        } catch {
            await chat.leave()
            throw error
        }
        await chat.leave()
        console.event(["event": "ended", "chat": .integer(chat.id)])
    }

    private func deliver(
        _ item: Items.Item,
        in chat: Chat,
        of account: ChatAccount,
        _ console: Console
    ) async throws {
        let friend = account.friend(of: chat)
        switch item {
        case .file(let path):
            let file = try ChatFile(path: path)
            try await account.deliver(file, to: friend)
            console.event([
                "event": "sent", "chat": .integer(chat.id), "file": .string(file.name),
            ])
        case .text(let text):
            try await account.deliver(text, to: friend)
            console.event(["event": "sent", "chat": .integer(chat.id), "text": .string(text)])
        }
    }

    /// What a friend does not get now waits; throws that it does, and why.
    private func keep(
        _ items: inout Items,
        for friend: FriendID?,
        in account: ChatAccount,
        _ error: ChatError,
        _ console: Console
    ) async throws {
        let known: Friend? =
            if let friend {
                try await account.store.friend(friend)
            } else {
                try await account.friend(named: to)
            }
        guard let known else { throw error }
        // Standard input may take long to end.
        console.progress("\(error)")
        var isKept = false
        while let item = try await items.next() {
            switch item {
            case .file(let path):
                try await account.send(try ChatFile(path: path), to: known.id)
            case .text(let text): try await account.send(text, to: known.id)
            }
            isKept = true
        }
        guard isKept else { throw error }
        let reason = error.code == .notFound ? "'\(known.name)' is not near" : "\(error)"
        throw ChatError(error.code, "\(reason): what was to be sent waits")
    }

    /// The arguments, or the lines of standard input.
    private var lines: AsyncThrowingStream<String, any Error> {
        guard texts.isEmpty, files.isEmpty else {
            return AsyncThrowingStream { texts in
                for text in self.texts { texts.yield(text) }
                texts.finish()
            }
        }
        return StandardInput.lines(maximumByteCount: ChatMessage.maximumTextByteCount + 1)
    }
}

/// What is still to be sent: files, then texts.
private struct Items {
    enum Item {
        case file(String)
        case text(String)
    }

    var files: ArraySlice<String>
    let texts: AsyncThrowingStream<String, any Error>

    mutating func next() async throws -> Item? {
        if let path = files.popFirst() { return .file(path) }
        for try await text in texts { return .text(text) }
        return nil
    }
}

extension ChatError {
    /// Whether it is about what was to be sent, and would be the same another time.
    fileprivate var isOfTheContent: Bool {
        [.empty, .tooLong, .notEncrypted, .invalidText].contains(code)
    }
}
