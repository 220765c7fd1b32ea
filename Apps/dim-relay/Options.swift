import ArgumentParser
import MeshRelay
import RadioCLI
import RelayAccount

/// Where a user's key, contacts and messages are.
struct StoreOptions: ParsableArguments {
    @Option(
        help: "The folder with your key, contacts and messages. (default: ~/.local/share/dim-relay)"
    )
    var store: String?

    var folder: String { store ?? DataFolder.standard(for: "dim-relay") }
}

/// The options of commands that need no radio.
struct PlainOptions: ParsableArguments {
    @OptionGroup var stored: StoreOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    /// Asks the node that runs with the store, or does it with the store itself, and prints what comes of it.
    ///
    /// - Parameters:
    ///   - request: what to do.
    ///   - numbers: whether people see messages' numbers.
    /// - Throws: `ExitCode`.
    func perform(_ request: ControlRequest, numbers: Bool = false) async throws {
        let console = Console(command: "dim-relay", isJSON: json)
        try await console.perform { try await perform(request, on: console, numbers: numbers) }
    }

    /// As ``perform(_:numbers:)``, for a command that does more.
    ///
    /// - Throws: what it fails with.
    func perform(_ request: ControlRequest, on console: Console, numbers: Bool = false) async throws
    {
        let show: @Sendable (ControlReply) -> Void = { $0.show(on: console, numbers: numbers) }
        let client = ControlClient(folder: stored.folder, console: console)
        try await client.perform(request, show) { store in
            try await RelayService(store: store).perform(request, show)
        }
    }
}

/// Who the user of a store is, and what the node does in their name.
struct UserOptions: ParsableArguments, Sendable {
    @Option(help: "Your name in a new store: 4 to 16 characters. (default: that of your account)")
    var name: String?

    @Flag(help: "Take another name: contacts who have the old link can't write to you any more.")
    var changeName = false

    /// Sets the address of a store that has none, or has another name.
    ///
    /// - Parameters:
    ///   - store: the store.
    ///   - generation: which apps the address is meant for.
    /// - Throws: `RelayError` with `invalidName`, also for another name that is not meant to be changed.
    func prepare(_ store: RelayStore, for generation: RelayGeneration) async throws {
        var random = SystemRandomNumberGenerator()
        guard let address = try await store.address() else {
            let name = try name ?? Self.accountName()
            let address = try RelayAddress(name: name, for: generation, using: &random)
            return try await store.setAddress(address)
        }
        guard let name, name != address.name else { return }
        guard changeName else {
            throw RelayError(
                .invalidName,
                "the name in this store is '\(address.name)'. With another one you get another address, and whoever has "
                    + "the link of \(address) can't write to you any more; with --change-name you take it all the same"
            )
        }
        try await store.setAddress(RelayAddress(name: name, for: generation, using: &random))
    }

    private static func accountName() throws -> String {
        let name = String(StandardUser.name.prefix(RelayAddress.nameLengths.upperBound))
        guard RelayAddress.nameLengths.contains(name.count) else {
            throw RelayError(.invalidName, "who are you? Say --name NAME, 4 to 16 characters")
        }
        return name
    }
}
