import BLE
import BlueChat
import BlueChatAccount
import BlueChatStore
import RadioCLI

/// A command that answers texts: what it prints goes back to whoever sent one.
///
/// It is started anew for each text, one after the other.
struct AnsweringCommand: Sendable {
    /// How many texts wait for those before them.
    static let maximumCount = 64
    /// How long it may take for one.
    private static let limit = Duration.seconds(60)

    let command: String
    let account: ChatAccount
    let console: Console

    /// Until there are no more texts, or cancelled.
    func answer(_ texts: AsyncStream<(text: String, chat: Chat)>) async {
        for await (text, chat) in texts {
            do {
                try await answer(text, in: chat)
            } catch is CancellationError {
                return
            } catch {
                console.event(of: error)
                console.failure("\(error)")
            }
        }
    }

    private func answer(_ text: String, in chat: Chat) async throws {
        let run = try await TextCommand(
            command,
            // A pipe has room for 65,536 bytes.
            input: text.utf8.count < ChatMessage.maximumTextByteCount ? text + "\n" : text,
            setting: ("BLUECHAT_NAME", account.name(of: chat) ?? ""),
            keeping: ChatMessage.maximumTextByteCount
        )
        let output = try await withTimeLimit(Self.limit, on: ContinuousClock()) {
            try await run.output()
        }
        guard let output else {
            throw TextCommand.Failure("'\(command)' took longer than \(Self.limit.inUnits)")
        }
        guard !output.isEmpty else { return }
        let kept = try await account.send(output, to: account.friend(of: chat))
        // What becomes of it is told by itself.
        console.event([
            "event": "answered", "chat": .integer(chat.id), "text": .string(output),
            "message": .string("\(kept.id)"),
        ])
    }
}
