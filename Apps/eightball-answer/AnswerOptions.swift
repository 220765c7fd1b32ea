import ArgumentParser
import MagicEightBall
import RadioCLI

/// The options that say where answers come from.
struct AnswerOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Always give this answer. (default: a random one of the twenty)",
            valueName: "text|slug"
        ),
        transform: { try Answer($0) }
    )
    var answer: Answer?

    @Option(
        help: ArgumentHelp(
            "Give a random one of a file's answers, each on a line of its own.",
            valueName: "file"
        ),
        transform: { try AnswerFile(path: $0) }
    )
    var answers: AnswerFile?

    @Option(
        help: ArgumentHelp(
            """
            Give the first line that a shell command has printed when it ends; it reads the question, \
            and finds the asker's address in EIGHTBALL_ASKER.
            """,
            valueName: "command"
        )
    )
    var exec: String?

    @Flag(
        help: """
            Type each answer on the terminal; an empty line refuses, and so does '!' with a reason, \
            in your own words or such as !deviceBusy.
            """
    )
    var manual = false

    func validate() throws {
        let chosen = [answer != nil, answers != nil, exec != nil, manual].filter { $0 }
        guard chosen.count <= 1 else {
            throw ValidationError("use only one of --answer, --answers, --exec and --manual")
        }
    }

    /// Uses the source, and ends what it began.
    ///
    /// - Parameters:
    ///   - console: where a person is asked.
    ///   - use: what to do with it.
    /// - Throws: what the use of it throws.
    func withSource(
        _ console: Console,
        _ use: (AnswerSource) async throws -> Void
    ) async throws {
        if let exec {
            let commands = CommandAnswers(exec)
            let result: Result<Void, any Error>
            do {
                result = .success(try await use(commands.source))
            } catch {
                result = .failure(error)
            }
            await commands.stop()
            try result.get()
        } else if manual {
            try await use(Keyboard(console).source)
        } else {
            try await use(answer.map { .fixed($0) } ?? answers?.source ?? .random)
        }
    }
}
