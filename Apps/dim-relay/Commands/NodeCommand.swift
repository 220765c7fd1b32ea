public import ArgumentParser
import BLE
import BlueZ
import Glibc
public import MeshRelay
import RadioCLI
import RelayAccount

/// Runs a node.
struct NodeCommand: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "node",
        abstract:
            "Run a node: receive your messages, and relay those of others, until interrupted.",
        discussion: """
            Each line of standard input, unless that is a terminal, is sent: NAME, a tab
            and the text. With --metrics, what was relayed is written into a file for
            Prometheus's node_exporter, each 15 seconds; the node ends with status 73 when
            that fails at its start or end.
            """
    )

    @OptionGroup var user: UserOptions

    @Option(help: "Which apps can read what you send: first, second or both generations.")
    var generation: RelayGeneration = .both

    @Option(
        help: "Connect to so many neighbours at most, 1 to 10; those that send nothing give way."
    )
    var connections = RelayLimits().connectionCount

    @Option(
        help: "What everybody near sees as this node's name; '' for none. (default: your address)"
    )
    var advertise: String?

    @Option(help: "Delete messages here after so many days. (default: never)")
    var keepDays: Int?

    @Flag(help: "Tell contacts that their messages have been read, by 'dim-relay messages'.")
    var readReceipts = false

    @Option(help: "Write counters into this file, for Prometheus.")
    var metrics: String?

    @Option(help: "Wait so many seconds for a radio that is not there yet, or off.")
    var wait: Double = 10

    @OptionGroup var stored: StoreOptions
    @OptionGroup var radio: RadioOptions

    func validate() throws {
        guard wait >= 0, wait <= 86_400 else {
            throw ValidationError("--wait is 0 to 86400 seconds")
        }
        guard (1...10).contains(connections) else {
            throw ValidationError("--connections is 1 to 10: controllers have no more")
        }
        guard keepDays.map({ (1...36_500).contains($0) }) ?? true else {
            throw ValidationError("--keep-days is 1 to 36500")
        }
        guard metrics != "" else { throw ValidationError("--metrics needs a path") }
    }

    func run() async throws {
        let console = Console(command: "dim-relay", isJSON: radio.json)
        try await console.perform {
            try await RelayStore.withStore(in: stored.folder, limits: limits, console) { store in
                try await user.prepare(store, for: generation)
                // Other commands need the store also while this waits for its radio.
                let service = RelayService(store: store, isStarting: true)
                let server = try ControlServer(folder: stored.folder, service: service)
                try await server.serve {
                    try await radio.withRadio(waitingUpTo: .seconds(wait), console) { radio in
                        try await run(store, radio, service, console)
                    }
                }
            }
        }
    }

    private var limits: RelayStoreLimits {
        var limits = RelayStoreLimits()
        limits.messageAge = keepDays.map { .seconds(86_400 * $0) }
        return limits
    }

    private func run(
        _ store: RelayStore,
        _ radio: Adapter,
        _ service: RelayService,
        _ console: Console
    ) async throws {
        var limits = RelayLimits()
        limits.connectionCount = connections
        let account = try await service.use { [limits] in
            try await RelayAccount(
                store: store,
                radio: radio,
                advertisedName: advertise,
                generation: generation,
                sendsReadReceipts: readReceipts,
                limits: limits,
                logger: self.radio.logger
            )
        }
        let events = await account.events
        let result: Result<Void, any Error>
        do {
            try await account.run(waitingUpTo: .seconds(wait)) {
                await service.start()
                try await serve(account, service, events, console)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        // Also of a node that was interrupted.
        await NodeCounters(account.node).show(on: console)
        if let metrics { try await MetricsFile(path: metrics).write(NodeCounters(account.node)) }
        try result.get()
    }

    /// Until cancelled.
    private func serve(
        _ account: RelayAccount,
        _ service: RelayService,
        _ events: AsyncStream<RelayEvent>,
        _ console: Console
    ) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask { await sendInput(by: service, console) }
            group.addTask { try await account.node.waitUntilEnded() }
            if let metrics {
                group.addTask {
                    try await MetricsFile(path: metrics).keepWriting(account.node, console)
                }
            }
            group.addTask {
                for await event in events { event.show(of: account.node, on: console) }
            }
            // Each goes on until this is cancelled, but what is read may end.
            while try await group.next() != nil {}
        }
    }

    /// Sends lines of standard input, until it ends.
    private func sendInput(by service: RelayService, _ console: Console) async {
        // A program in the background is stopped when it reads from its terminal.
        guard isatty(STDIN_FILENO) == 0 else { return }
        do {
            for try await line in StandardInput.lines(maximumByteCount: 1_024) {
                await send(line, by: service, console)
            }
        } catch {
            // It was cancelled.
        }
    }

    private func send(_ line: String, by service: RelayService, _ console: Console) async {
        let parts = line.split(separator: "\t", maxSplits: 1).map(String.init)
        do {
            guard parts.count == 2 else {
                throw RelayError(.empty, "a line of input is NAME, a tab and a text, not '\(line)'")
            }
            let request = ControlRequest.send(contact: parts[0], texts: [parts[1]], seconds: 0)
            try await service.perform(request) { $0.show(on: console) }
        } catch {
            console.event(of: error)
            console.failure("\(error)")
        }
    }
}

extension RelayGeneration: ExpressibleByArgument {
    /// Reads its name, or `v1` and `v2`.
    public init?(argument: String) {
        switch argument {
        case "v1": self = .first
        case "v2": self = .second
        default: self.init(rawValue: argument)
        }
    }
}

extension RelayEvent {
    /// Prints what happens.
    fileprivate func show(of node: RelayNode, on console: Console) {
        switch self {
        case .becameReady:
            console.event([
                "event": "ready", "address": .string("\(node.address)"),
                "link": .string("\(node.link)"),
            ])
            console.progress("\(node.address) is ready")
        case .becameUnready(let error): show("unready", error, console)
        case .notKept(let error): show("notKept", error, console)
        case .missed(let error): show("missed", error, console)
        case .connected(let neighbour):
            console.event([
                "event": "connected", "device": .string("\(neighbour.id)"),
                "name": .string(neighbour.name),
                "rssi": neighbour.rssi.map { .integer($0.rawValue) },
            ])
            console.progress("\(neighbour.title) is near")
        case .disconnected(let neighbour, let error):
            console.event([
                "event": "disconnected", "device": .string("\(neighbour.id)"),
                "name": .string(neighbour.name), "message": error.map { .string("\($0)") },
            ])
            console.progress("\(neighbour.title) is gone")
        case .changed: break
        case .received(let message):
            console.event([
                "event": "received", "from": .string("\(message.sender)"),
                "id": .integer(Int(message.id)), "text": .string(message.text),
            ])
            if !console.isJSON { console.result("\(message.sender): \(message.text)") }
        case .delivered(let id, let contact):
            console.event([
                "event": "delivered", "to": .string("\(contact)"), "id": .integer(Int(id)),
            ])
            console.progress("delivered to \(contact)")
        case .read(let ids, let contact):
            for id in ids {
                console.event([
                    "event": "read", "to": .string("\(contact)"), "id": .integer(Int(id)),
                ])
            }
            console.progress("\(contact) has read it")
        case .relayed(let id, let peer):
            console.event([
                "event": "relayed", "id": .integer(Int(id)), "device": .string("\(peer)"),
            ])
        case .failed(let id, let contact, let error):
            console.event([
                "event": "failed", "to": .string("\(contact)"), "id": .integer(Int(id)),
                "code": .string("\(error.code)"), "message": .string("\(error)"),
            ])
            console.failure("message \(id) is given up: \(error)")
        case .undecipherable(let sender):
            console.event(["event": "undecipherable", "from": .string("\(sender)")])
            console.failure(
                "a message of \(sender) can't be decrypted: they have another key now, or somebody uses their address"
            )
        }
    }

    private func show(_ event: String, _ error: RelayError, _ console: Console) {
        console.event([
            "event": .string(event), "code": .string("\(error.code)"),
            "message": .string("\(error)"),
        ])
        console.failure("\(error)")
    }
}

extension RelayNeighbour {
    /// For people.
    fileprivate var title: String { name.isEmpty ? "\(id)" : name }
}
