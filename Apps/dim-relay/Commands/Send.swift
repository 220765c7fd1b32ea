import ArgumentParser
import MeshRelay
import RadioCLI
import RelayAccount

/// Sends texts to a contact.
struct Send: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Send texts to a contact, and wait until they have come.",
        discussion: """
            By the node that runs with the store; else by a node that runs as long as this
            command. What is not acknowledged by then waits in the store, and is sent when
            'dim-relay node' runs.
            """
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @Argument(help: "The texts, a message each.")
    var texts: [String]

    @OptionGroup var options: SendingOptions

    func run() async throws {
        try await options.perform(
            .send(contact: contact, texts: texts, seconds: options.wait)
        )
    }
}

/// Sends a message once more.
struct Resend: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Send a message of yours once more, as a new one.",
        discussion: """
            'dim-relay messages NAME --numbers' shows its number. What was not
            acknowledged is sent again by itself for a day; this is for what failed.
            """
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @Argument(help: "The message's number.")
    var id: Int32

    @OptionGroup var options: SendingOptions

    func run() async throws {
        try await options.perform(.resend(contact: contact, id: id, seconds: options.wait))
    }
}

/// The options of commands that send.
struct SendingOptions: ParsableArguments, Sendable {
    @Option(help: "Wait so many seconds for acknowledgements; 0 for not at all.")
    var wait: Double = 30

    @Option(
        help:
            "Which apps can read it: first, second or both generations; a node that runs has its own."
    )
    var generation: RelayGeneration = .both

    @OptionGroup var stored: StoreOptions
    @OptionGroup var radio: RadioOptions

    func validate() throws {
        guard wait >= 0, wait <= 86_400 else {
            throw ValidationError("--wait is 0 to 86400 seconds")
        }
    }

    /// Asks the node that runs with the store, or runs one meanwhile, and prints what comes of it.
    ///
    /// - Parameter request: what to send.
    /// - Throws: `ExitCode`.
    func perform(_ request: ControlRequest) async throws {
        let console = Console(command: "dim-relay", isJSON: radio.json)
        try await console.perform {
            let show: @Sendable (ControlReply) -> Void = { $0.show(on: console) }
            let client = ControlClient(folder: stored.folder, console: console)
            try await client.perform(request, show) { store in
                guard try await store.address() != nil else {
                    throw RelayError(
                        .invalidAddress,
                        "the store \(store.folder) has no address yet; make one with 'dim-relay link --name NAME'"
                    )
                }
                try await radio.withRadio(console) { radio in
                    let account = try await RelayAccount(
                        store: store,
                        radio: radio,
                        generation: generation,
                        logger: self.radio.logger
                    )
                    try await account.run {
                        try await RelayService(store: store, account: account)
                            .perform(request, show)
                    }
                }
            }
        }
    }
}

extension RelayAccount {
    /// Starts the account, does something, and stops it.
    ///
    /// - Parameters:
    ///   - limit: how long the radio may take to be on; `nil` for as long as it takes.
    ///   - use: what to do.
    /// - Throws: what starting and doing it throws.
    func run(
        waitingUpTo limit: Duration? = .seconds(10),
        _ use: @Sendable () async throws -> Void
    ) async throws {
        try await start(waitingUpTo: limit)
        let result: Result<Void, any Error>
        do {
            result = .success(try await use())
        } catch {
            result = .failure(error)
        }
        // In a task of its own, as the command may have been cancelled.
        await Task { await stop() }.value
        try result.get()
    }
}
