import ArgumentParser
import RadioCLI

/// Connects to a peripheral.
struct Connect: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Connect to somebody who listens, as a central."
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var connect: ConnectOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var radio: RadioOptions

    func run() async throws {
        let console = Console(
            command: "ble-socket",
            isJSON: radio.json,
            sparesOutput: work.usesOutput
        )
        try await console.perform {
            try work.checkFiles()
            try await radio.withRadio(console) { radio in
                let connection = socket.connection(
                    over: try await connect.socket(over: radio, socket),
                    isListening: false,
                    handshakeLimit: connect.wait,
                    console
                )
                try await SocketSession(connection: connection, console: console).perform(
                    work.kind,
                    linger: work.linger,
                    waiting: connect.waiting(on: radio)
                )
            }
        }
    }
}
