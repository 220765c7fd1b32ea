import ArgumentParser
import BLE
import BLESocket
import BlueZ
import RadioCLI

/// Waits for a central.
struct Listen: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Wait for somebody to connect, as a peripheral."
    )

    /// How long after a failure nobody is waited for.
    private static let pause = Duration.seconds(1)

    @OptionGroup var socket: SocketOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var radio: RadioOptions

    @Option(
        help: ArgumentHelp(
            "How long to wait for somebody to connect. (default: for ever)",
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var timeout: Duration?

    @Flag(help: "Listen again when the other end has gone, until interrupted.")
    var keepListening = false

    @Option(
        help: ArgumentHelp(
            """
            Serve so many centrals at once, until interrupted; each has a stream, and its own command of --exec or --pty. \
            Without this there is one at a time.
            """,
            valueName: "number"
        )
    )
    var connections: Int?

    func validate() throws {
        guard let connections else { return }
        guard (1...1_000).contains(connections) else {
            throw ValidationError("--connections is a number from 1 to 1000")
        }
        guard case .command = work.kind else {
            throw ValidationError(
                "--connections goes with --exec or --pty: each has its own command"
            )
        }
        guard [.auto, .stream].contains(socket.transport) else {
            throw ValidationError(
                "--connections are streams; --transport \(socket.transport) has one alone"
            )
        }
        guard timeout == nil, !keepListening else {
            throw ValidationError("--connections listens until it is interrupted")
        }
    }

    func run() async throws {
        let console = Console(
            command: "ble-socket",
            isJSON: radio.json,
            sparesOutput: work.usesOutput
        )
        try await console.perform {
            try work.checkFiles()
            try await radio.withRadio(console) { radio in
                let configuration = try await socket.configuration(limit: .seconds(30))
                if let connections {
                    return try await Serving(work: work.kind, console: console).serve(
                        upTo: connections,
                        on: radio,
                        configuration
                    )
                }
                let reporter = AdvertisingReporter(console, radio, configuration)
                // Observers are held weakly.
                defer { withExtendedLifetime(reporter) {} }
                repeat {
                    let socket = Socket(listeningOn: radio, configuration)
                    await socket.addObserver(reporter)
                    let connection = self.socket.connection(
                        over: socket,
                        isListening: true,
                        console
                    )
                    let session = SocketSession(connection: connection, console: console)
                    do {
                        try await session.perform(
                            work.kind,
                            linger: work.linger,
                            waiting: "listening on \(radio.name)",
                            upTo: timeout
                        )
                    } catch let error as any CommandFailure
                        where keepListening && error.isOtherEnds
                    {
                        console.event(of: error)
                        console.failure("\(error)")
                        // It may fail at once each time.
                        try await radio.executor.clock.sleep(for: Self.pause)
                        try await waitUntilOn(radio)
                    }
                } while keepListening
            }
        }
    }

    /// - Throws: `SocketError` with `bluetoothAbsent` when the radio was closed for good; `CancellationError`.
    private func waitUntilOn(_ radio: Adapter) async throws {
        for await state in await radio.states() where state == .on { return }
        try Task.checkCancellation()
        throw SocketError(.bluetoothAbsent, "the radio was closed for good")
    }
}

/// Tells programs that they can be connected to.
private final class AdvertisingReporter: SocketObserver {
    private let console: Console
    private let adapter: String
    private let service: String

    init(_ console: Console, _ radio: Adapter, _ configuration: SocketConfiguration) {
        self.console = console
        adapter = radio.name
        service = configuration.service.longText
    }

    func socketDidStartAdvertising(_ socket: Socket) async {
        console.event([
            "event": "advertising", "adapter": .string(adapter), "service": .string(service),
        ])
    }
}
