import ArgumentParser
import BLE
import BlueChat
import RadioCLI

/// Lists who is nearby.
struct Who: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        abstract: "List who can be called.",
        discussion: "Nobody sees this, or can call it: it only looks.",
        aliases: ["nearby"]
    )

    @Option(help: "Look for this many seconds.")
    var wait: Double = 5

    @OptionGroup var radio: RadioOptions

    /// How long the radio may take to be on.
    private static let radioLimit = Duration.seconds(10)

    func validate() throws {
        guard wait > 0, wait <= 86_400 else {
            throw ValidationError("--wait is more than 0 and at most 86400 seconds")
        }
    }

    func run() async throws {
        let console = Console(command: "bluechat", isJSON: radio.json)
        try await console.perform {
            try await radio.withRadio(console) { adapter in
                try await waitUntilOn(adapter)
                console.progress("looking for others")
                for chatter in try await look(over: adapter).sorted(by: { $0.rssi > $1.rssi }) {
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

    private func waitUntilOn(_ radio: any Radio) async throws {
        _ = try await withTimeLimit(Self.radioLimit, on: ContinuousClock()) {
            for await state in await radio.states() where state == .on { break }
        }
        let state = await radio.state
        guard state != .on else { return }
        throw ChatError(
            state == .off ? .bluetoothOff : .bluetoothAbsent,
            "Bluetooth is \(state == .off ? "off" : "not there"): nobody can be seen"
        )
    }

    /// Who is nearby, as a messenger sees it that is not started: it has no name or key to show.
    private func look(over radio: any Radio) async throws -> [NearbyChatter] {
        let messenger = Messenger(
            radio: radio,
            name: try ChatName("bluechat"),
            logger: self.radio.logger
        )
        let events = await messenger.events
        await messenger.search()
        let result: Result<[NearbyChatter], any Error>
        do {
            // As long as was asked for.
            _ = try await withTimeLimit(.seconds(wait), on: ContinuousClock()) {
                for await case .searchInterrupted(let error) in events { throw error }
            }
            result = .success(await messenger.nearby)
        } catch {
            result = .failure(error)
        }
        await messenger.stopSearching()
        return try result.get()
    }
}
