import ArgumentParser
import BLE
import BlueChat
import BlueChatAccount
import RadioCLI

/// Lists who is nearby.
struct Who: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "List who can be called.",
        aliases: ["nearby"]
    )

    @Option(help: "Look for this many seconds.")
    var wait: Double = 5

    @OptionGroup var options: ChatOptions

    func validate() throws {
        guard wait > 0, wait <= 86_400 else {
            throw ValidationError("--wait is more than 0 and at most 86400 seconds")
        }
    }

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: options.radio.json)
        try await console.perform {
            try await options.stored.withTemporaryStore { store in
                try await options.withAccount(console, in: store) { account, _ in
                    console.progress("looking for others")
                    // As long as was asked for.
                    try await Task.sleep(for: .seconds(wait))
                    for chatter in await account.messenger.nearby.sorted(by: { $0.rssi > $1.rssi })
                    {
                        console.event([
                            "event": "nearby", "name": .string(chatter.name),
                            "device": .string("\(chatter.id)"),
                            "rssi": .integer(chatter.rssi.rawValue),
                        ])
                        if !console.isJSON {
                            console.result("\(chatter.name)  \(chatter.id)  \(chatter.rssi)")
                        }
                    }
                }
            }
        }
    }
}
