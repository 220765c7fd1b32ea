import ArgumentParser
import BLE
import BlueZ
import EightBallCLI
import MagicEightBall
import RadioCLI

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
              {"event":"queued","device","question","place"}
              {"event":"rejected","device","reason"}
              {"event":"answer","device","question","answer"[,"slug","kind"]}
              {"event":"delivered","device","question"}
              {"event":"disconnected","device"}
              {"event":"ended"[,"message"]}
              {"event":"radio","state"}
              {"event":"error","code","message"[,"reason","stage","status"]}
            All values are strings, but "status" and "place". "device" is the asker's
            address. A question is queued when it has to wait for its turn; an answer is
            delivered when its asker has read it, which original apps don't. The twenty
            answers of the original have a "slug", and a "kind": affirmative,
            nonCommittal or negative. An error has a "status" when the command ends.

            Exit status:
              0    answered, with --once
              64   wrong usage
              69   no radio, no such adapter, or no bluetoothd
              70   our own fault
              73   standard output cannot be written
              75   the radio is busy, or too slow
              77   not permitted
              130  interrupted by SIGINT, 143 by SIGTERM
            """
    )

    @OptionGroup var radio: RadioOptions

    @Option(help: "The name under which askers find the ball, at most 29 bytes.")
    var name = "Magic 8-Ball"

    @OptionGroup var answers: AnswerOptions

    @Option(help: "How many questions may wait for their turn; more are refused as busy.")
    var queue = 16

    @Option(help: "How many questions are answered at once.")
    var atOnce = 1

    @Option(
        help: ArgumentHelp(
            "Accept at most this many questions of one asker in this time. (default: any number)",
            valueName: "number/seconds"
        ),
        transform: { try QuestionLimit(argument: $0) }
    )
    var rate: QuestionLimit?

    @Option(
        help: ArgumentHelp(
            "Give up this many seconds after a question's turn began. (default: 60)",
            valueName: "seconds"
        ),
        transform: { try Duration(argument: $0) }
    )
    var thinking = Timeouts().thinking

    @Option(
        help: ArgumentHelp(
            "Wait this long for the radio when there is none yet, or it is off. (default: not at all)",
            valueName: "seconds"
        ),
        transform: { try Duration(argument: $0) }
    )
    var wait: Duration?

    @Option(
        help: ArgumentHelp(
            """
            When interrupted, answer accepted questions for this long before ending. (default: not at \
            all; their askers are told that the ball is closing)
            """,
            valueName: "time"
        ),
        transform: { try Duration(argument: $0) }
    )
    var finish: Duration?

    @Flag(
        help: """
            Let apps of the original's first series ask too, which write without a response; then no \
            question of an original app can be refused.
            """
    )
    var firstSeries = false

    @Flag(help: "End after one answer, once its asker has left, or after 5 s.")
    var once = false

    func validate() throws {
        guard (0...1000).contains(queue) else {
            throw ValidationError("--queue is 0 to 1000, not \(queue)")
        }
        guard (1...1000).contains(atOnce) else {
            throw ValidationError("--at-once is 1 to 1000, not \(atOnce)")
        }
        guard atOnce == 1 || !answers.manual else {
            throw ValidationError("--manual answers one question at a time; leave --at-once out")
        }
    }

    func run() async throws {
        let console = Console(
            command: "eightball-answer",
            isJSON: radio.json,
            keepsProgress: answers.manual
        )
        try await console.perform(clearingWithin: clearingLimit + (finish ?? .zero)) {
            try await radio.withRadio(waitingUpTo: wait ?? .zero, console) { radio in
                try await answers.withSource(console) { source in
                    try await serve(over: radio, source, console)
                }
            }
        }
    }

    private func serve(
        over radio: Adapter,
        _ source: AnswerSource,
        _ console: Console
    ) async throws {
        let ball = EightBallPeripheral(
            radio: radio,
            name: name,
            answers: source,
            waiting: queue,
            atOnce: atOnce,
            limit: rate,
            servesFirstSeries: firstSeries,
            timeouts: Timeouts(thinking: thinking),
            logger: self.radio.logger
        )
        let reporter = AnswerReporter(console, adapter: radio.name)
        await ball.addObserver(reporter)
        if wait != nil, case let state = await radio.state, state != .on {
            console.progress("waiting for the radio: \(radio.name) is \(state)")
        }
        try await ball.start(waitingUpTo: wait ?? .zero)
        let result: Result<Void, any Error>
        do {
            if once {
                // An asker may not have got its answer yet when that is sent; it leaves when it has.
                try await reporter.askers.untilServed(
                    leavingWithin: .seconds(5),
                    on: ContinuousClock()
                )
            } else {
                for try await _ in reporter.askers {}
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        let finish = finish ?? .zero
        await close(within: clearingLimit + finish) { await ball.stop(finishing: finish) }
        try result.get()
    }
}
