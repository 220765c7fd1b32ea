import BlueChat
import BlueChatAccount
import BlueChatStore
import Glibc
import RadioCLI

// What is sent from standard input.
extension Listen {
    /// Until standard input ends.
    func sendInput(
        from account: ChatAccount,
        to current: CurrentChat,
        _ console: Console
    ) async {
        // A program in the background is stopped when it reads from its terminal.
        guard isatty(STDIN_FILENO) == 0 else { return }
        let limit = 1_024 + ChatMessage.maximumTextByteCount
        do {
            for try await line in StandardInput.lines(maximumByteCount: limit) {
                await send(line, from: account, to: current, console)
            }
        } catch {
            // It was cancelled.
        }
    }

    private func send(
        _ line: String,
        from account: ChatAccount,
        to current: CurrentChat,
        _ console: Console
    ) async {
        do {
            try await send(line, from: account, to: current)
        } catch {
            console.event(of: error)
            console.failure("\(error)")
        }
    }

    private func send(
        _ line: String,
        from account: ChatAccount,
        to current: CurrentChat
    ) async throws {
        // An empty text makes no text of the name.
        let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count == 2 else {
            return _ = try await account.send(line, to: account.friend(of: current.only()))
        }
        // Never to whoever chats instead: a name that is mistyped would tell them what is another's.
        guard let friend = try await account.friend(named: parts[0]) else {
            throw ChatError(.notFound, "'\(parts[0])' is no friend, and has not called")
        }
        try await account.send(parts[1], to: friend.id)
    }
}
