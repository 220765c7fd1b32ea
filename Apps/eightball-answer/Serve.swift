import ArgumentParser
import BlueZ
import EightBallCLI
import MagicEightBall

@main
struct Serve: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "eightball-answer",
        abstract: "Be a Magic 8-Ball.",
        discussion: """
            Shows itself as a ball, and answers each question until interrupted.

            With --json each event is one JSON object on a line of standard output:
              {"event":"advertising","adapter","name"}
              {"event":"connected","device"}
              {"event":"question","device","question"}
              {"event":"rejected","device","reason"}
              {"event":"answer","device","question","answer"[,"slug","kind"]}
              {"event":"disconnected","device"}
              {"event":"ended"[,"message"]}
              {"event":"radio","state"}
              {"event":"error","code","message"[,"reason","stage","status"]}
            All values are strings, but "status". "device" is the asker's address. The twenty
            answers of the original have a "slug", and a "kind": affirmative, nonCommittal
            or negative. An error has a "status" when the command ends.

            Exit status:
              0    answered, with --once
              64   wrong usage
              69   no radio, no such adapter, or no bluetoothd
              70   our own fault
              75   the radio is busy, or too slow
              77   not permitted
              130  interrupted by SIGINT, 143 by SIGTERM
            """
    )

    @OptionGroup var radio: RadioOptions

    @Option(help: "The name under which askers find the ball, at most 29 bytes.")
    var name = "Magic 8-Ball"

    @Option(
        help: ArgumentHelp(
            "Always give this answer. (default: a random one of the twenty)",
            valueName: "text|slug"
        ),
        transform: { try Answer($0) }
    )
    var answer: Answer?

    @Flag(help: "End after one answer, once its asker has left, or after 5 s.")
    var once = false

    func run() async throws {
        let console = Console(command: "eightball-answer", isJSON: radio.json)
        try await console.perform {
            try await radio.withRadio { try await serve(over: $0, console: console) }
        }
    }

    private func serve(over radio: Adapter, console: Console) async throws {
        let ball = EightBallPeripheral(
            radio: radio,
            name: name,
            answers: answer.map { .fixed($0) } ?? .random
        )
        let reporter = AnswerReporter(console, adapter: radio.name)
        await ball.addObserver(reporter)
        try await ball.start()
        let result: Result<Void, any Error>
        do {
            for try await asker in reporter.answers where once {
                // The asker may not have got it yet; it leaves when it has.
                _ = try await withTimeLimit(.seconds(5), on: ContinuousClock()) {
                    for await departed in reporter.departures where departed == asker { break }
                }
                break
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await ball.stop()
        try result.get()
    }
}
