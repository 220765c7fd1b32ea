import BLE
import BLETerminal
import BlueChat
import BlueChatAccount
import BlueChatScreen
import BlueChatStore
import RadioCLI

/// Brings an account and a screen together.
actor ChatProgram {
    /// How many messages of a chat are shown at first, and are added when somebody looks for earlier ones.
    static let pageCount = 100

    let account: ChatAccount
    let session: TerminalSession
    /// Where files are kept that come.
    let files: String

    var screen = ChatScreen()
    /// Who is in the list, by the screen's identifiers.
    var people: [String: ChatPerson] = [:]
    /// Of the chat that is open.
    var messages: [String: MessageID] = [:]
    var messageCount = ChatProgram.pageCount
    /// Whose words are being compared.
    var verifying: String?

    private let changed: AsyncStream<Void>.Continuation
    private let changes: AsyncStream<Void>
    let actions: AsyncStream<Action>.Continuation
    private let actionQueue: AsyncStream<Action>
    private var work: [Int: Task<Void, Never>] = [:]
    private var lastWork = 0

    init(_ account: ChatAccount, _ session: TerminalSession, files: String) {
        self.account = account
        self.session = session
        self.files = files
        (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (actionQueue, actions) = AsyncStream.makeStream()
    }

    /// Until the user ends it, or the terminal is gone.
    ///
    /// - Parameter events: the account's, from its start on.
    /// - Throws: `TerminalError`; what ends the tool.
    func run(_ events: AsyncStream<ChatAccountEvent>) async throws {
        screen.show(
            ownName: account.messenger.name.text,
            key: Self.shownKey(account.messenger.key)
        )
        let session = session
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await event in events { await self.show(event) } }
            group.addTask { for await _ in self.changes { try await self.refresh() } }
            group.addTask {
                for await action in self.actionQueue { await self.carryOut(action) }
            }
            update()
            let input = Task { () -> Int32? in
                for await event in session.events {
                    guard try await self.take(event) else { break }
                    if case .terminated(let signal) = event { return signal }
                }
                return nil
            }
            let result = await withTaskCancellationHandler {
                await input.result
            } onCancel: {
                input.cancel()
            }
            group.cancelAll()
            for task in work.values { task.cancel() }
            if let signal = try result.get() { throw Interruption(signal: signal) }
        }
    }

    /// - Returns: whether to go on.
    private func take(_ event: TerminalEvent) async throws -> Bool {
        switch event {
        case .input(.key(Key("z", .control))):
            session.suspend()
        case .input(let input):
            for action in screen.handle(input) {
                guard action != .quit else { return false }
                actions.yield(action)
            }
        case .resized, .resumed: break
        case .terminated, .ended: return true
        }
        try await draw()
        return true
    }

    /// Shows what is known now, soon.
    func update() { changed.yield() }

    func draw() async throws {
        var picture = Screen(session.size)
        let seen = screen.draw(on: &picture)
        // In the background this waits: nobody sees anything there.
        try await session.draw(picture)
        for action in seen { actions.yield(action) }
    }

    private func refresh() async throws {
        do {
            try await showPeople()
            try await showMessages()
        } catch let error as ChatStoreError {
            screen.show(warning: "\(error)")
        }
        try await draw()
    }

    /// Does something that may take long, and says so when it fails.
    func begin(_ body: @escaping @Sendable () async throws -> Void) {
        lastWork += 1
        let number = lastWork
        work[number] = Task {
            do {
                try await body()
            } catch is CancellationError {
                // The program ends.
            } catch {
                screen.show(notice: "\(error)")
            }
            work[number] = nil
            update()
        }
    }
}
