import ArgumentParser
public import BLETerminal
import BlueChatAccount
import BlueChatStore
public import RadioCLI

/// The full-screen chat.
struct FullScreen: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "chat",
        abstract: "Chat on the whole screen. (default)",
        discussion: """
            F1 or /help shows the keys and commands, Ctrl-C ends it. Files that come are
            kept in the folder 'files' of the store.
            """
    )

    @OptionGroup var options: ChatOptions

    func validate() throws {
        guard !options.radio.json, !options.radio.verbose else {
            throw ValidationError("--json and --verbose are for the other commands")
        }
    }

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: false)
        let files = "\(options.stored.folder)/files"
        try await console.perform {
            try await options.stored.withStore { store in
                try await options.withAccount(console, in: store) { account, events in
                    try await account.whileThereIsARadio {
                        try await TerminalSession.run { session in
                            try await ChatProgram(account, session, files: files).run(events)
                        }
                    }
                }
            }
        }
    }
}

extension TerminalError: CommandFailure {
    /// Wrong use, or unavailable.
    public var exitStatus: ExitStatus {
        switch code {
        case .notATerminal, .noCursor: .usage
        default: .unavailable
        }
    }

    /// What went wrong, for programs.
    public var codeName: String { "terminal" }

    /// What somebody at the shell can do.
    public var remedy: String? {
        exitStatus == .usage ? "or use 'bluechat send' and 'bluechat listen'" : nil
    }
}
