import ArgumentParser
import MeshRelay
import RadioCLI
import RelayAccount

/// Shows the user's own link.
struct LinkCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Show your link, which others need to write to you, as a QR code and as text.",
        discussion: """
            The first time it makes a key, and an address of your name and some digits. A
            node that runs keeps its name.
            """
    )

    @OptionGroup var user: UserOptions
    @OptionGroup var options: PlainOptions

    @Option(
        help: "Which apps a new address is for: first (six digits), second or both (four digits)."
    )
    var generation: RelayGeneration = .both

    @Flag(
        help: "Show the QR code also in a file or a pipe, or in a terminal that has no room for it."
    )
    var qr = false

    func validate() throws {
        if qr, options.json { throw ValidationError("--qr and --json exclude each other") }
    }

    func run() async throws {
        let console = Console(command: "dim-relay", isJSON: options.json)
        let qr = qr
        try await console.perform {
            let show: @Sendable (ControlReply) -> Void = { $0.show(on: console, qr: qr) }
            let client = ControlClient(folder: options.stored.folder, console: console)
            let request = ControlRequest.link(name: user.name)
            try await client.perform(request, show) { store in
                try await user.prepare(store, for: generation)
                try await RelayService(store: store).perform(request, show)
            }
        }
    }
}

/// Lists the contacts.
struct Contacts: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "List your contacts, their keys' fingerprints, and what is unread."
    )

    @OptionGroup var options: PlainOptions

    func run() async throws { try await options.perform(.contacts) }
}

/// Remembers that a fingerprint was compared.
struct Verify: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Remember that you have compared a contact's fingerprint with them."
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @Flag(help: "Forget it.")
    var undo = false

    @OptionGroup var options: PlainOptions

    func run() async throws {
        try await options.perform(.verify(contact: contact, isVerified: !undo))
    }
}

/// Removes a contact.
struct Remove: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Remove a contact and all messages with them."
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @OptionGroup var options: PlainOptions

    func run() async throws { try await options.perform(.remove(contact: contact)) }
}

/// Lists messages.
struct Messages: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Show the newest messages with a contact; those that are shown are read then.",
        aliases: ["history"]
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @Option(help: "How many, 1 to 500.")
    var count = 20

    @Flag(help: "Show each message's number, for 'resend' and 'delete'.")
    var numbers = false

    @OptionGroup var options: PlainOptions

    func validate() throws {
        guard (1...500).contains(count) else { throw ValidationError("--count is 1 to 500") }
    }

    func run() async throws {
        try await options.perform(.messages(contact: contact, count: count), numbers: numbers)
    }
}

/// Deletes a message.
struct Delete: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Delete a message here; what others have stays.",
        discussion: "'dim-relay messages NAME --numbers' shows its number."
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @Argument(help: "The message's number.")
    var id: Int32

    @OptionGroup var options: PlainOptions

    func run() async throws { try await options.perform(.delete(contact: contact, id: id)) }
}

/// Deletes all messages with a contact.
struct Clear: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Delete all messages with a contact here; the contact stays."
    )

    @Argument(help: "The contact: a name, or name#digits.")
    var contact: String

    @OptionGroup var options: PlainOptions

    func run() async throws { try await options.perform(.clear(contact: contact)) }
}

/// Lists the neighbours of the node that runs.
struct Who: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Show the neighbours of the running node, and what it has relayed.",
        aliases: ["neighbours", "stats"]
    )

    @OptionGroup var options: PlainOptions

    func run() async throws { try await options.perform(.who) }
}

/// Removes a store.
struct Erase: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Erase your key, contacts and messages, for ever.",
        aliases: ["wipe"]
    )

    @Flag(help: "Yes, for ever: nobody can read them, nor write to your link, any more.")
    var yes = false

    @OptionGroup var options: PlainOptions

    func validate() throws {
        guard yes else {
            throw ValidationError("say --yes to erase all that is in \(options.stored.folder)")
        }
    }

    func run() async throws {
        let console = Console(command: "dim-relay", isJSON: options.json)
        let folder = options.stored.folder
        try await console.perform {
            try RelayStore.erase(in: folder)
            console.event(["event": "erased", "store": .string(folder)])
            console.outcome("\(folder) is erased")
        }
    }
}
