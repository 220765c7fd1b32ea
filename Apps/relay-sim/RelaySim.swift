import ArgumentParser
import MeshRelay
import RadioCLI
import RelaySimulation

@main
struct RelaySim: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "relay-sim",
        abstract: "Simulate a mesh of many nodes that move.",
        discussion: """
            The nodes are those of dIM's mesh, over a simulated air. The same options have
            the same outcome, on any machine: the first line says how the run is repeated,
            and with --json "seed" is among the rest.

              relay-sim --nodes 1000 --seed 1 --json

            A series of 120 runs can be shared out: part 1 of 8, and so on, each on any
            machine. Scripts/mesh runs the parts, and merges what they print.

              relay-sim --no-queue --seed 1 --of 8 --json
            """
    )

    @Option(help: "How many nodes there are, 2 to 100000.")
    var nodes = 1_000

    @Option(help: "A number that decides all that is by chance; another one, another run.")
    var seed: UInt64 = 1

    @Option(
        help: """
            Run a series instead, of all movements, of 4, 8 and 16 nodes in reach, with ten \
            seeds each; in so many parts, of which --seed says the number.
            """
    )
    var of: Int?

    @Option(help: "How they move: still, walk, crowds or march.")
    var mobility = Scenario.Mobility.walk

    @Option(help: "How many nodes are in a node's reach, on average, 0.001 to 1000.")
    var density = 8.0

    @Option(help: "How long it goes on.")
    var seconds = 3_600

    @Flag(
        inversion: .prefixedNo,
        help: "Keep packets for neighbours who come later; apps of the first generation do not."
    )
    var queue = true

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard (2...100_000).contains(nodes) else {
            throw ValidationError("--nodes takes 2 to 100000, not \(nodes)")
        }
        guard seed <= UInt64(Int.max) else {
            throw ValidationError("--seed takes 0 to \(Int.max), not \(seed)")
        }
        if let of {
            guard (1...120).contains(of), (1...UInt64(of)).contains(seed) else {
                throw ValidationError("--seed is 1 to --of, and --of 1 to 120")
            }
        }
        guard (0.001...1_000).contains(density) else {
            throw ValidationError("--density takes 0.001 to 1000, not \(density)")
        }
        guard (1...604_800).contains(seconds) else {
            throw ValidationError("--seconds takes 1 to 604800, not \(seconds)")
        }
    }

    func run() async throws {
        let console = Console(command: "relay-sim", isJSON: json)
        try await console.perform(clearingWithin: nil) {
            for scenario in scenarios {
                run(scenario, console)
                try Task.checkCancellation()
            }
        }
    }

    /// What is simulated: one, or this part of the series.
    private var scenarios: [Scenario] {
        guard let parts = of else { return [scenario(mobility, density, seed)] }
        let series = Scenario.Mobility.allCases.flatMap { mobility in
            [4.0, 8.0, 16.0].flatMap { density in
                (1...10 as ClosedRange<UInt64>).map { scenario(mobility, density, $0) }
            }
        }
        return series.enumerated().filter { $0.offset % parts == Int(seed) - 1 }.map(\.element)
    }

    private func scenario(
        _ mobility: Scenario.Mobility,
        _ density: Double,
        _ seed: UInt64
    ) -> Scenario {
        var scenario = Scenario(nodeCount: nodes, mobility: mobility, seed: seed)
        scenario.density = density
        scenario.seconds = seconds
        return scenario
    }

    private func run(_ scenario: Scenario, _ console: Console) {
        var limits = RelayLimits()
        if !queue { limits.queueTime = .zero }
        var simulation = Simulation(scenario, limits: limits)
        var report: SimulationReport?
        let time = ContinuousClock().measure { report = simulation.run() }
        guard let report else { return }
        let speed = Int(Duration.seconds(seconds) / time)
        let perMille = Int((report.deliveryRate * 1_000).rounded())
        let airSeconds = Int(report.airMicroseconds / 1_000_000)
        console.event([
            "event": "simulated", "nodes": .integer(nodes), "seed": .integer(Int(scenario.seed)),
            "mobility": .string(scenario.mobility.rawValue),
            "densityTenths": .integer(Int((scenario.density * 10).rounded())),
            "kept": .integer(queue ? 1 : 0), "seconds": .integer(seconds),
            "sent": .integer(report.sent), "delivered": .integer(report.delivered),
            "deliveredPerMille": .integer(perMille), "acknowledged": .integer(report.acknowledged),
            "delayMedianMilliseconds": .integer(report.delay(percent: 50)),
            "delay95Milliseconds": .integer(report.delay(percent: 95)),
            "copiesPerMessage": .integer(Int(report.copiesPerMessage.rounded())),
            "airSeconds": .integer(airSeconds), "connections": .integer(report.connections),
            "connectionsPerNodeMilli": .integer(Int(report.degree * 1_000)),
            "droppedForRate": .integer(
                (report.dropped["neighbourRate"] ?? 0) + (report.dropped["senderRate"] ?? 0)
            ),
            "timesRealTime": .integer(speed),
        ])
        guard !json else { return }
        console.result(
            """
            relay-sim --nodes \(nodes) --seed \(scenario.seed) --mobility \(scenario.mobility.rawValue) \
            --density \(scenario.density) --seconds \(seconds)\(queue ? "" : " --no-queue")
            """
        )
        console.result(
            """
            \(report.sent) messages, \(report.delivered) delivered (\(perMille) of 1000), \
            \(report.acknowledged) acknowledged
            """
        )
        console.result(
            """
            delay \(report.delay(percent: 50)) ms in the middle, \(report.delay(percent: 95)) ms \
            for 95 of 100
            """
        )
        console.result(
            """
            \(Int(report.copiesPerMessage.rounded())) copies a message, \(airSeconds) s on the air
            """
        )
        console.result("\(seconds) s, \(speed) times as fast as real time")
    }
}

extension Scenario.Mobility: ExpressibleByArgument {}
