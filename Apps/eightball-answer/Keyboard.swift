import Dispatch
import Glibc
import MagicEightBall
import RadioCLI

/// A person who is shown each question, and types a line.
actor Keyboard {
    /// Nobody types any more.
    private struct EndOfInput: Error, CustomStringConvertible {
        let description = "standard input has ended, so nobody is there to answer"
    }

    /// What is kept of a line; an answer is shorter, and a longer line is refused as one.
    private static let maximumByteCount = 4096

    private let console: Console
    private let queue = DispatchQueue(label: "reads the keyboard")
    private var isReading = false
    private var waiting: AsyncStream<String?>.Continuation?

    init(_ console: Console) {
        self.console = console
    }

    /// Asks the person; one question at a time.
    nonisolated var source: AnswerSource {
        AnswerSource { question, _ in try await self.ask(question) }
    }

    private func ask(_ question: Question) async throws -> Answer {
        // What was typed before belongs to a question that is gone.
        if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
        while true {
            console.progress("your answer to '\(question)', or '!' and a reason to refuse:")
            guard let line = try await nextLine() else { throw EndOfInput() }
            do {
                return try answer(line)
            } catch let error as EightBallError {
                console.progress("\(error)")
            }
        }
    }

    private func answer(_ line: String) throws -> Answer {
        guard !line.isEmpty else { throw RejectionReason.refused }
        guard line.hasPrefix("!") else { return try Answer(line) }
        let words = String(line.dropFirst())
        guard !words.isEmpty else { throw RejectionReason.refused }
        let reasons = (0x90...0x97).map { RejectionReason.unknown($0) }
        throw reasons.first { $0.name == words } ?? .refused.saying(words)
    }

    /// The next line that is typed; `nil` when there is none to come.
    private func nextLine() async throws -> String? {
        let (lines, continuation) = AsyncStream.makeStream(of: String?.self)
        waiting = continuation
        read()
        for await line in lines { return line }
        throw CancellationError()
    }

    /// Reads one line, unless that is under way; whoever waits then gets it.
    private func read() {
        guard !isReading else { return }
        isReading = true
        queue.async {
            let line = StandardInput.readLine(maximumByteCount: Self.maximumByteCount)
            Task { await self.didRead(line) }
        }
    }

    private func didRead(_ line: String?) {
        isReading = false
        waiting?.yield(line)
        waiting?.finish()
        waiting = nil
    }
}
