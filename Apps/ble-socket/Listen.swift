import ArgumentParser
import BLESocket
import BlueZ
import Glibc
import RadioCLI

/// Waits for a central.
struct Listen: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Wait for somebody to connect, as a peripheral."
    )

    @OptionGroup var socket: SocketOptions
    @OptionGroup var work: WorkOptions
    @OptionGroup var radio: RadioOptions

    @Flag(help: "Listen again when the other end has gone, until interrupted.")
    var keepListening = false

    func run() async throws {
        let console = Console(
            command: "ble-socket",
            isJSON: radio.json,
            sparesOutput: work.usesOutput
        )
        try await console.perform {
            signal(SIGPIPE, SIG_IGN)
            try await radio.withRadio(console) { radio in
                repeat {
                    let socket = Socket(
                        listeningOn: radio,
                        try await self.socket.configuration(limit: .seconds(30))
                    )
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
                            waiting: "listening on \(radio.name)"
                        )
                    } catch let error as SocketError where keepListening {
                        console.event(of: error)
                        console.failure("\(error)")
                    }
                } while keepListening
            }
        }
    }
}
