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
        let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
        if parts.count == 2, let friend = try await account.friend(named: parts[0]) {
            try await account.send(parts[1], to: friend.id)
        } else if let chat = current.last {
            try await account.send(line, to: account.friend(of: chat))
        } else if parts.count == 2 {
            throw ChatError(.notFound, "'\(parts[0])' is no friend, and nobody chats")
        } else {
            throw ChatError(.notFound, "'\(line)' was not sent: nobody chats")
        }
    }
}
