import ArgumentParser
import BLESocket
import RadioCLI

/// Prints what others know a key by.
struct Key: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "Print what others know a key by; make it when there is none.",
        discussion: """
            The file is for --key, and nobody else reads it. What is printed goes to the
            other end, for its --peer-key.
            """
    )

    @Argument(help: ArgumentHelp("Where the key is kept.", valueName: "file"))
    var path: String

    @Flag(help: "Print one JSON object: public-key.")
    var json = false

    func run() async throws {
        let console = Console(command: "ble-socket", isJSON: json)
        try await console.perform {
            let key = try await KeyFile(path: path).identity().publicKey.description
            if json { console.event(["public-key": .string(key)]) } else { console.result(key) }
        }
    }
}
