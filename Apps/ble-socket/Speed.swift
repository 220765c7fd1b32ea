import ArgumentParser
import BLESocket
import BlueZ
import RadioCLI

/// Measures.
struct Speed: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Measure how fast bytes go and come.",
        discussion: """
            One end listens: 'ble-socket speed --listen', for ever or until --timeout is
            over. The other sends bytes until all are there, and then receives as many.
            """
    )

    @Flag(help: "Wait for who measures, as a peripheral.")
    var listen = false

    @Option(help: "How many bytes go each way. (default: 1000000)")
    var bytes: UInt64?

    @OptionGroup var socket: SocketOptions
    @OptionGroup var connect: ConnectOptions
    @OptionGroup var radio: RadioOptions

    func validate() throws {
        guard !listen || connect.device == nil else {
            throw ValidationError("--listen waits for whoever connects; leave --device out")
        }
        guard !listen || bytes == nil else {
            throw ValidationError("with --listen the other end says how many; leave --bytes out")
        }
    }

    func run() async throws {
        let console = Console(command: "ble-socket", isJSON: radio.json)
        try await console.perform {
            try await radio.withRadio(console) { radio in
                let socket =
                    listen
                    ? Socket(
                        listeningOn: radio,
                        try await self.socket.configuration(limit: .seconds(30))
                    ) : try await connect.socket(over: radio, self.socket)
                let connection = self.socket.connection(
                    over: socket,
                    isListening: listen,
                    console
                )
                try await SocketSession(connection: connection, console: console).perform(
                    listen ? .reflect : .measure(byteCount: bytes ?? 1_000_000),
                    waiting: listen ? "listening on \(radio.name)" : connect.waiting(on: radio),
                    upTo: listen ? connect.wait : nil
                )
            }
        }
    }
}
