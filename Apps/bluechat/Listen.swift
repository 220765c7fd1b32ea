import ArgumentParser
import BlueChat
import BlueChatAccount
import BlueChatStore
import Glibc
import RadioCLI

/// Waits to be called.
struct Listen: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Wait to be called, and print what others send, until interrupted.",
        discussion: """
            Each line of standard input, unless that is a terminal, is NAME, a tab and the
            text, or a text alone, which goes to whoever chats, while that is one. What
            waits for friends goes when they are near.

            With --exec a command answers each text: it reads the text, and what it prints
            goes back; in $BLUECHAT_NAME it has who wrote. A bot in a line:

              bluechat listen --name Echo --exec 'tr a-z A-Z'
            """
    )

    @Flag(help: "End when the first chat is over.")
    var once = false

    @Option(help: "Keep files that come in this folder, which need not be there.")
    var files: String?

    @Option(
        help: ArgumentHelp(
            "Answer each text with what a shell command prints.",
            valueName: "command"
        )
    )
    var exec: String?

    @OptionGroup var options: ChatOptions

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: options.radio.json)
        try await console.perform {
            if let files { try ChatFile.makeFolder(files) }
            try await options.stored.withStoreOrTemporary(console) { store, _ in
                try await options.withAccount(console, in: store) { account, events in
                    try await account.whileThereIsARadio {
                        try await listen(account, events, console)
                    }
                }
            }
        }
    }

    private func listen(
        _ account: ChatAccount,
        _ events: AsyncStream<ChatAccountEvent>,
        _ console: Console
    ) async throws {
        console.progress("listening as '\(account.messenger.name)'")
        let current = CurrentChat()
        let input = Task { await sendInput(from: account, to: current, console) }
        defer { input.cancel() }
        let (texts, waiting) = AsyncStream.makeStream(
            of: (text: String, chat: Chat).self,
            bufferingPolicy: .bufferingOldest(AnsweringCommand.maximumCount)
        )
        let answering = exec.map { command in
            let answering = AnsweringCommand(
                command: command,
                account: account,
                console: console
            )
            return Task { await answering.answer(texts) }
        }
        defer { answering?.cancel() }
        var hasStarted = false
        var outcomes = Outcomes()
        for await event in events {
            // What came before it was ready is told already.
            if !hasStarted {
                if case .chat(.becameReady) = event { hasStarted = true }
                continue
            }
            await show(event, account, console)
            if case .store(.messageChanged(let id, let friend)) = event {
                await outcomes.show(id, to: friend, of: account, console)
            }
            if case .chat(let event) = event {
                current.take(event)
                if exec != nil { wait(for: event, in: waiting, console) }
            }
            if once, case .chat(.ended) = event { return }
        }
        try Task.checkCancellation()
    }

    /// A text waits for the command.
    private func wait(
        for event: ChatEvent,
        in waiting: AsyncStream<(text: String, chat: Chat)>.Continuation,
        _ console: Console
    ) {
        let text: (text: String, chat: Chat)
        switch event {
        case .received(let received, let chat): text = (received, chat)
        case .receivedMessage(let message, let chat):
            guard case .text(let received) = message.content else { return }
            text = (received, chat)
        default: return
        }
        if case .dropped = waiting.yield(text) {
            console.failure(
                "a text of \(text.chat.title) is not answered: "
                    + "\(AnsweringCommand.maximumCount) wait for the command"
            )
        }
    }

    private func show(
        _ event: ChatAccountEvent,
        _ account: ChatAccount,
        _ console: Console
    ) async {
        switch event {
        case .chat(.becameReady):
            console.event(["event": "ready", "name": .string("\(account.messenger.name)")])
            console.progress("listening")
        case .chat(let event): await show(event, account, console)
        case .store(.keyChanged(let old, let new)):
            console.event([
                "event": "keyChanged", "old": .string("\(old)"), "key": .string("\(new)"),
            ])
            console.failure("a friend has another key now, or somebody uses their name")
        case .store: break
        case .postponed(let id, let friend, let error):
            console.event([
                "event": "postponed", "name": .string("\(friend)"), "message": .string("\(id)"),
                "code": .string("\(error.code)"), "reason": .string("\(error)"),
            ])
            console.failure("a text waits: \(error)")
        case .callFailed(_, let error):
            console.event([
                "event": "callFailed", "code": .string("\(error.code)"),
                "message": .string("\(error)"),
            ])
        case .notKept(let error):
            console.event(of: error)
            console.failure("\(error)")
        }
    }

    private func show(_ event: ChatEvent, _ account: ChatAccount, _ console: Console) async {
        let name = await name(in: event, account, console)
        let title = name ?? "(unknown)"
        switch event {
        case .becameUnready(let error): show("unready", error, console)
        case .searchInterrupted(let error):
            // That Bluetooth is off is said by itself.
            show("searchInterrupted", error, console, isSaid: error.code == .bluetoothOff)
        case .missed(let error): show("missed", error, console)
        case .began(let chat):
            console.event(chat.began(named: name))
            console.progress("a chat with \(chat.announcement(of: title))")
        case .received(let text, let chat):
            console.event([
                "event": "text", "chat": .integer(chat.id), "name": name.map { .string($0) },
                "device": .string("\(chat.peer)"), "text": .string(text),
            ])
            if !console.isJSON { console.result("\(title): \(text)") }
        case .receivedMessage(let message, let chat): show(message, chat, name, console)
        case .failedToReceive(let error, let chat):
            console.event([
                "event": "malformed", "chat": .integer(chat.id), "code": .string("\(error.code)"),
                "message": .string("\(error)"),
            ])
            console.failure("\(error)")
        case .refusedCaller(let peer):
            console.event(["event": "refusedCaller", "device": .string("\(peer)")])
            console.progress("\(peer) has called too, and was disconnected: a chat is on")
        case .ended(let chat, let error):
            console.event([
                "event": "ended", "chat": .integer(chat.id),
                "code": error.map { .string("\($0.code)") },
                "message": error.map { .string("\($0)") },
            ])
            console.progress(error.map { "\($0)" } ?? "\(title) has left")
        case .delivered(let id, let chat): show("delivered", [id], chat, name, console)
        case .refused(let id, let chat): show("refused", [id], chat, name, console)
        case .read(let ids, let chat): show("read", ids, chat, name, console)
        case .becameReady, .typing, .renamed, .discovered, .changed, .lost: break
        }
    }

    private func show(
        _ event: String,
        _ error: ChatError,
        _ console: Console,
        isSaid: Bool = false
    ) {
        console.event([
            "event": .string(event), "code": .string("\(error.code)"),
            "message": .string("\(error)"),
        ])
        if !isSaid { console.failure("\(error)") }
    }

    /// What the other end of an event's chat is called here.
    private func name(
        in event: ChatEvent,
        _ account: ChatAccount,
        _ console: Console
    ) async -> String? {
        guard let chat = event.chat else { return nil }
        do {
            return try await account.name(of: chat)
        } catch {
            console.event(of: error)
            console.failure("\(error)")
            return chat.name
        }
    }

    private func show(
        _ event: String,
        _ ids: [MessageID],
        _ chat: Chat,
        _ name: String?,
        _ console: Console
    ) {
        for id in ids {
            console.event([
                "event": .string(event), "chat": .integer(chat.id),
                "name": name.map { .string($0) }, "message": .string("\(id)"),
            ])
        }
    }

    private func show(
        _ message: ChatMessage,
        _ chat: Chat,
        _ name: String?,
        _ console: Console
    ) {
        let title = name ?? "(unknown)"
        let (event, text): (JSONLine.Value, String) =
            switch message.content {
            case .text(let text): ("text", text)
            case .file(let file): ("file", save(file, console) ?? file.name)
            case .edit(_, let text): ("edit", text)
            case .deletion: ("deletion", "")
            }
        console.event([
            "event": event, "chat": .integer(chat.id), "name": name.map { .string($0) },
            "device": .string("\(chat.peer)"), "text": .string(text),
            "message": .string("\(message.id)"), "key": chat.key.map { .string("\($0)") },
        ])
        guard !console.isJSON else { return }
        switch message.content {
        case .text, .edit: console.result("\(title): \(text)")
        case .file: console.result("\(title): [\(text)]")
        case .deletion: break
        }
    }

    /// Keeps a file in the folder for them, if there is one.
    ///
    /// - Returns: its path.
    private func save(_ file: ChatFile, _ console: Console) -> String? {
        guard let files else { return nil }
        do {
            return try file.save(in: files)
        } catch {
            console.event(of: error)
            console.failure("\(error)")
            return nil
        }
    }
}

extension Chat {
    /// What the other end is called, and what the user should know before saying something.
    func announcement(of name: String) -> String {
        key == nil ? "\(name) (not encrypted)" : name
    }

    /// What programs are told of it when it begins.
    func began(named name: String?) -> KeyValuePairs<String, JSONLine.Value?> {
        [
            "event": "began", "chat": .integer(id), "name": name.map { .string($0) },
            "device": .string("\(peer)"),
            "origin": origin == .incoming ? "incoming" : "outgoing",
            "key": key.map { .string("\($0)") },
        ]
    }
}

extension ChatEvent {
    /// The chat in which it happened.
    fileprivate var chat: Chat? {
        switch self {
        case .began(let chat), .received(_, let chat), .receivedMessage(_, let chat),
            .delivered(_, let chat), .refused(_, let chat), .read(_, let chat),
            .typing(_, let chat), .renamed(_, let chat), .ended(let chat, _):
            chat
        case .failedToReceive(_, let chat): chat
        case .becameReady, .becameUnready, .discovered, .changed, .lost, .searchInterrupted,
            .refusedCaller, .missed:
            nil
        }
    }
}
