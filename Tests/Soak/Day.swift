import ArgumentParser
import Glibc

/// All in one process, on a clock that jumps.
struct Day: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "day",
        abstract: "All in one process, on a clock that jumps (the default)."
    )

    @Flag(help: "An hour with 2,000 questions and 20,000 sightings of 1,000 addresses.")
    var short = false

    @Option(help: "How many questions are asked. (default: 100000)")
    var questions: Int?

    @Option(help: "How many sightings of strangers there are. (default: 1000000)")
    var sightings: Int?

    @Option(help: "How many strangers there are. (default: 10000)")
    var addresses: Int?

    @Option(help: "How many hours pass. (default: 24)")
    var hours: Int?

    @Option(help: "Decides about everything random.")
    var seed: UInt64 = 1

    func validate() throws {
        for number in [questions, addresses, hours].compactMap(\.self) where number < 1 {
            throw ValidationError("A soak needs at least one question, address and hour.")
        }
        guard sightings ?? 0 >= 0 else { throw ValidationError("Sightings are 0 or more.") }
    }

    private var plan: Plan {
        Plan(
            questions: questions ?? (short ? 2000 : 100_000),
            sightings: sightings ?? (short ? 20_000 : 1_000_000),
            addresses: addresses ?? (short ? 1000 : 10_000),
            hours: hours ?? (short ? 1 : 24),
            seed: seed
        )
    }

    func run() async throws {
        let plan = plan
        let course = try await Course(plan)
        let started = ContinuousClock.now
        let readings = try await course.run()
        let counts = course.tally.counts
        print(table([Reading.columns] + readings.map(\.cells)))
        print("\n" + counts.summary)
        let wall = started.duration(to: .now)
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        print(
            "\(Int(wall / .seconds(1))) s of wall time, \(seconds) s of this process's CPU, "
                + "seed \(plan.seed)"
        )
        let violations = Bounds.violations(readings) + counts.violations(of: plan)
        for violation in violations { print("soak: \(violation)") }
        guard violations.isEmpty else { throw ExitCode(1) }
    }
}
