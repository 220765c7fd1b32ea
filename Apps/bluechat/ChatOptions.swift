import ArgumentParser
import BLE
public import BlueChat
import BlueChatAccount
import BlueChatStore
import BlueZ
import Glibc
public import RadioCLI

/// The options of each command.
struct ChatOptions: ParsableArguments {
    @Option(
        help: "Your name: 1 to 16 characters. (default: the last one, or that of your account)"
    )
    var name: String?

    @Flag(help: "Do what the original does and no more: nothing is encrypted.")
    var original = false

    @OptionGroup var stored: StoreOptions

    @OptionGroup var radio: RadioOptions

    func validate() throws {
        guard let name else { return }
        do {
            _ = try ChatName(name)
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The name that was said, that of the store, or as much of the account's as a name may have.
    private func chatName(_ store: ChatStore) async throws -> ChatName {
        if let name { return try ChatName(name) }
        if let profile = try await store.profile() { return try ChatName(profile.name) }
        let account = getenv("USER").map { String(cString: $0) } ?? ""
        let name = try? ChatName(String(account.prefix(ChatName.maximumLength)))
        return try name ?? ChatName("bluechat")
    }

    /// Starts an account, and stops it in the end.
    ///
    /// - Parameters:
    ///   - console: where it is said that it is ready.
    ///   - store: where its friends and messages are.
    ///   - use: what to do with it, and with its events from the start on.
    /// - Throws: what starting and using it throws.
    func withAccount(
        _ console: Console,
        in store: ChatStore,
        _ use:
            @escaping @Sendable (ChatAccount, AsyncStream<ChatAccountEvent>) async throws -> Void
    ) async throws {
        let name = try await chatName(store)
        try await radio.withRadio(console) { radio in
            let account = try await ChatAccount(
                store: store,
                radio: radio,
                name: name,
                isOriginal: original,
                logger: self.radio.logger
            )
            // Others may call as soon as it is ready.
            let events = await account.events
            let result: Result<Void, any Error>
            let state = await radio.state
            if state != .on {
                let words = "Bluetooth is \(state == .off ? "off" : "not there")"
                console.event([
                    "event": "unready",
                    "code": state == .off ? "bluetoothOff" : "bluetoothAbsent",
                    "message": .string(words),
                ])
                console.progress("\(words); waiting")
            }
            do {
                try await account.start()
                console.event(["event": "ready", "name": .string("\(name)")])
                result = .success(try await use(account, events))
            } catch {
                result = .failure(error)
            }
            await close { await account.stop() }
            try result.get()
        }
    }
}

extension ChatAccount {
    /// Does something until it is done, or until the radio was closed for good.
    ///
    /// - Parameter work: what to do; it is cancelled when the account cannot go on.
    /// - Throws: what the work throws; `ChatError` with `bluetoothAbsent`.
    nonisolated func whileThereIsARadio(
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.messenger.waitUntilEnded() }
            group.addTask { try await work() }
            // Whichever is over first.
            _ = try await group.next()
            group.cancelAll()
        }
    }
}

extension ChatError: CommandFailure {
    /// Wrong data, not found, unavailable, worth another try, the protocol's, or our own fault.
    public var exitStatus: ExitStatus {
        switch code {
        case .empty, .tooLong: .data
        case .invalidName: .usage
        case .notFound: .notFound
        case .bluetoothOff, .bluetoothAbsent: .unavailable
        case .notAChatter, .invalidText: .protocol
        case .failed, .missed: .software
        default: .temporary
        }
    }

    /// The name of the code, such as `timedOut`.
    public var codeName: String { "\(code)" }

    /// What somebody at the shell can do.
    public var remedy: String? {
        switch exitStatus {
        case .notFound: "see 'bluechat who', or bring it nearer"
        default: exitStatus.remedy
        }
    }
}
