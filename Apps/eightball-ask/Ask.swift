import ArgumentParser
import BLE
import BlueZ
import EightBallCLI
import MagicEightBall

@main
struct Ask: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "eightball-ask",
        abstract: "Ask a Magic 8-Ball nearby.",
        discussion: """
            Finds a ball, connects, asks and prints the answer.

            With --json each event is one JSON object on a line of standard output:
              {"event":"scanning","adapter"}
              {"event":"sighting","device","name","rssi"}
              {"event":"connected","device","name"}
              {"event":"asked","device","name","question"}
              {"event":"answered","device","name","question","answer"[,"slug","kind"]}
              {"event":"disconnected","device","name"[,"message"]}
              {"event":"lost","device","name"}
              {"event":"radio","state"}
              {"event":"error","code","message"[,"reason","stage","status"]}
            All values are strings, but "rssi", in dBm, and "status". The twenty answers of
            the original have a "slug", and a "kind": affirmative, nonCommittal or negative.
            An error has a "reason" when the question was refused, a "stage" when it took
            too long, and a "status" when the command ends.

            Exit status:
              0    answered
              64   wrong usage
              65   refused as no question, or too long
              68   no ball found
              69   no radio, no such adapter, or no bluetoothd
              70   our own fault
              75   busy, gone, or timed out
              76   the ball broke the protocol
              77   not permitted
              130  interrupted by SIGINT, 143 by SIGTERM
            """
    )

    @Argument(help: "The question. It ends in '?', or the ball refuses it.")
    var question: String

    @OptionGroup var radio: RadioOptions

    @Option(help: "Ask the ball of this name.")
    var name: String?

    @Option(
        help: ArgumentHelp("Ask the ball of this address.", valueName: "address"),
        transform: BluetoothAddress.init(argument:)
    )
    var device: BluetoothAddress?

    @Option(
        help: ArgumentHelp("How long to look for a ball. (default: 10)", valueName: "seconds"),
        transform: Duration.init(argument:)
    )
    var scanFor: Duration = .seconds(10)

    @Option(
        help: ArgumentHelp(
            "How long the answer may take once there is a link. (default: 2)",
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var timeout: Duration = .seconds(2)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How loud a ball must be heard, in dBm. (default: -60..-20)",
            valueName: "min..max"
        ),
        transform: ClosedRange<RSSI>.init(argument:)
    )
    var rssi: ClosedRange<RSSI> = EightBallCentral.defaultRSSIWindow

    func run() async throws {
        let console = Console(command: "eightball-ask", isJSON: radio.json)
        try await console.perform {
            let question = try Question(question)
            try await radio.withRadio { try await ask(question, over: $0, console: console) }
        }
    }

    private func ask(_ question: Question, over radio: Adapter, console: Console) async throws {
        let central = EightBallCentral(
            radio: radio,
            rssiWindow: rssi,
            timeouts: Timeouts(discovery: scanFor, answer: timeout)
        )
        let reporter = AskReporter(console) { isWanted($0) }
        await central.addObserver(reporter)
        let result: Result<Void, any Error>
        do {
            try await central.start()
            reporter.scanning(with: radio.name)
            let ball = try await central.discoverDevice { isWanted($0) }
            await central.stopScanning()
            try await reporter.ask(question, of: ball, through: central)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        var isLinked = false
        for ball in await central.devices where await ball.isConnected { isLinked = true }
        await central.stop()
        if isLinked { await reporter.disconnection() }
        try result.get()
    }

    private func isWanted(_ ball: any PeripheralDevice) -> Bool {
        if let name, ball.name != name { return false }
        if let device, ball.id.rawValue.uppercased() != device.description { return false }
        return true
    }
}
