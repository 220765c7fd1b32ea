import BLE
import MagicEightBall
import RadioCLI

/// Answers that a shell command finds, started anew for each question.
actor CommandAnswers {
    private let text: String
    private var running: [Int: Task<String, any Error>] = [:]
    private var lastNumber = 0

    init(_ text: String) {
        self.text = text
    }

    /// Asks the command.
    nonisolated var source: AnswerSource {
        AnswerSource { question, asker in
            try await Answer(self.ask(question, of: asker))
        }
    }

    /// Kills all that runs; returns when it has ended.
    func stop() async {
        for command in running.values {
            command.cancel()
            _ = await command.result
        }
    }

    private func ask(_ question: Question, of asker: any AskerDevice) async throws -> String {
        let command = try TextCommand(
            text,
            input: question.text + "\n",
            setting: ("EIGHTBALL_ASKER", "\(asker.id)")
        )
        lastNumber += 1
        let number = lastNumber
        let task = Task { try await command.firstLine() }
        running[number] = task
        defer { running[number] = nil }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
