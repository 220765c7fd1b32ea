import ArgumentParser
import BLE
import BlueZ
import MagicEightBall
import RadioCLI

@main
struct Ask: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "eightball-ask",
        abstract: "Ask a Magic 8-Ball nearby.",
        discussion: """
            Finds a ball, connects, asks and prints the answer. A ball that can is asked
            so that nobody else can read its answer. A ball that is busy is asked again
            until its time is over. With --all or --first several balls are asked at once,
            and name and answer are printed; --name and --device then say which. With
            --list balls are listed as they come and go.

            With --json each event is one JSON object on a line of standard output:
              {"event":"scanning","adapter"}
              {"event":"sighting","device","name","rssi"}
              {"event":"changed","device","name","rssi","smoothed","range"}
              {"event":"connected","device","name"}
              {"event":"asked","device","name","question"}
              {"event":"answered","device","name","question","answer"[,"slug","kind"]}
              {"event":"disconnected","device","name"[,"message"]}
              {"event":"failed","device","name","question","code","message"
                [,"reason","stage"]}
              {"event":"lost","device","name"}
              {"event":"radio","state"}
              {"event":"error","code","message"[,"reason","stage","status"]}
            All values are strings, but "rssi" and "smoothed", in dBm, and "status". The
            twenty answers of the original have a "slug", and a "kind": affirmative,
            nonCommittal or negative. "failed" comes with --all and --first, "changed"
            with --list; its "range" is in or out. A failure has a "reason" when the
            question was refused, a "stage" when it took too long; an error has a
            "status" when the command ends.

            Exit status:
              0    answered, with --all by at least one; with --list, listed for its time
              64   wrong usage
              65   the question does not end in '?', or is too long
              68   no ball found
              69   no radio, no such adapter, or no bluetoothd
              70   our own fault
              73   standard output cannot be written
              75   busy, gone, or timed out
              76   the ball broke the protocol
              77   not permitted
              130  interrupted by SIGINT, 143 by SIGTERM
            """
    )

    @Argument(help: "The question. It ends in '?', or the ball refuses it.")
    var question: String?

    @Flag(exclusivity: .exclusive)
    var reach = Reach.one

    @OptionGroup var radio: RadioOptions

    @Option(help: "Ask the ball of this name.")
    var name: String?

    @Option(
        help: ArgumentHelp("Ask the ball of this address.", valueName: "address"),
        transform: BluetoothAddress.init(argument:)
    )
    var device: BluetoothAddress?

    @Option(
        help: ArgumentHelp(
            "How long to look for balls. (default: 10; with --list until interrupted)",
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var scanFor: Duration?

    @Option(
        help: ArgumentHelp(
            """
            How long the answer may take once connected; counted anew when a ball with private \
            answers has accepted the question. (default: 2, then 65)
            """,
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var timeout: Duration?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The signal strengths at which balls are found, in dBm. (default: -60..-20)",
            valueName: "min..max"
        ),
        transform: ClosedRange<RSSI>.init(argument:)
    )
    var rssi: ClosedRange<RSSI> = EightBallCentral.defaultRSSIWindow

    func validate() throws {
        if reach == .list, question != nil {
            throw ValidationError("--list asks nothing; leave the question out")
        }
    }

    func run() async throws {
        // Not in validate(), which comes before an unknown option is reported.
        guard reach == .list || question != nil else {
            throw ValidationError("no question; write one in quotes, or use --list")
        }
        let console = Console(command: "eightball-ask", isJSON: radio.json)
        try await console.perform {
            let question = try question.map { try Question($0) }
            try await radio.withRadio(waitsForDisconnection: false, console) { radio in
                if let question {
                    try await ask(question, over: radio, console: console)
                } else {
                    try await list(over: radio, console: console)
                }
            }
        }
    }

    private func ask(_ question: Question, over radio: Adapter, console: Console) async throws {
        let central = EightBallCentral(
            radio: radio,
            rssiWindow: rssi,
            timeouts: timeouts,
            whenBusy: .retry(pause: .milliseconds(250)),
            logger: self.radio.logger
        )
        let reporter = AskReporter(console, adapter: radio.name, reach: reach) { isWanted($0) }
        await central.addObserver(reporter)
        let result: Result<Void, any Error>
        do {
            try await central.start()
            await reporter.scan.make()
            switch reach {
            case .all: try await askAll(question, through: central, reporter)
            case .first:
                let response = try await askFirst(question, through: central, reporter)
                if case .success(let answer) = response.result {
                    reporter.show(answer, of: response.device)
                }
            case .one, .list: try await askOne(question, through: central, reporter)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await central.stop()
        await reporter.links.allEnded()
        try result.get()
    }

    private func askOne(
        _ question: Question,
        through central: EightBallCentral,
        _ reporter: AskReporter
    ) async throws {
        let ball = try await central.discoverDevice { isWanted($0) }
        await central.stopScanning()
        try await reporter.ask(question, of: ball, through: central)
    }

    /// The limits that the options say.
    var timeouts: Timeouts {
        var timeouts = Timeouts(discovery: scanFor ?? Timeouts().discovery)
        if let timeout {
            timeouts.subscription = timeout
            timeouts.acceptance = timeout
            timeouts.answer = timeout
            timeouts.privateAnswer = timeout
        }
        // All of them together: one after the other ends the question before this does.
        timeouts.question =
            timeouts.connection + timeouts.resolution + timeouts.answer + timeouts.privateAnswer
        return timeouts
    }

    /// Whether the options mean a ball.
    func isWanted(_ ball: any BallDevice) -> Bool {
        if let name, ball.name != name { return false }
        if let device, ball.id.rawValue.uppercased() != device.description { return false }
        return true
    }
}
