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
            input is. It ends when the last one was confirmed, or at the first that was
            not. What a friend did not get waits, and goes when 'bluechat' or
            'bluechat listen' runs and the friend is near. While one of these runs with your
            own store, this is somebody else of your name, of whom nothing is kept.
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
                    do {
                        try await send(from: account, console)
                    } catch let error as ChatError where error.code == .notFound && isKept {
                        try await keep(in: account, error)
                    }
                }
            }
        }
    }

    private func send(from account: ChatAccount, _ console: Console) async throws {
        console.progress("looking for '\(to)'")
        let person = try await account.find(named: to, within: .seconds(wait))
        console.progress("calling '\(person.name)'")
        let chat = try await account.call(person.id)
        console.event(chat.began)
        do {
            let friend = account.friend(of: chat)
            for path in files {
                let file = try ChatFile(path: path)
                try await account.deliver(file, to: friend)
                console.event([
                    "event": "sent", "chat": .integer(chat.id), "file": .string(file.name),
                ])
            }
            for try await text in lines {
                try await account.deliver(text, to: friend)
                console.event(["event": "sent", "chat": .integer(chat.id), "text": .string(text)])
            }
        } catch {
            await chat.leave()
            throw error
        }
        await chat.leave()
        console.event(["event": "ended", "chat": .integer(chat.id)])
    }

    /// What a friend does not get now waits.
    private func keep(
        in account: ChatAccount,
        _ error: ChatError
    ) async throws {
        guard let friend = try await account.friend(named: to) else { throw error }
        for path in files { try await account.send(try ChatFile(path: path), to: friend.id) }
        for try await text in lines { try await account.send(text, to: friend.id) }
        throw ChatError(.notFound, "'\(friend.name)' is not near: what was to be sent waits")
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
