import ArgumentParser
import Glibc

/// The programs as processes, in real time.
struct Processes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processes",
        abstract: "eightball-answer on virtual-bluez, asked over plain D-Bus, in real time.",
        discussion: """
            The exit status is 1 when one of the two processes has grown, or when a question was \
            lost.
            """
    )

    @Option(help: "How many questions are asked, at least 10.")
    var questions = 10_000

    @Option(
        help: """
            For how many seconds questions are asked before the first reading that counts. The \
            runtime keeps the timer of a limit that has ended until its time would have been over, \
            and the longest of a ball's limits is 60 s.
            """
    )
    var warmUp = 70

    /// The longest limit of a ball, in seconds.
    private static let longestLimit = 60

    /// Questions in a row, and what came of them.
    private struct Course {
        /// After how many questions the link ends, and another one is made.
        static let linkLength = 2000

        let asker: RawAsker
        var asked = 0
        var outcomes: [RawAsker.Outcome: Int] = [:]
        var wrong = 0

        mutating func ask() async throws {
            asked += 1
            let isQuestion = !asked.isMultiple(of: 50)
            let text = "\(asked), will it rain\(isQuestion ? "?" : "")"
            let outcome = try await asker.ask(text, tag: UInt64(asked))
            outcomes[outcome, default: 0] += 1
            if outcome != (isQuestion ? .answered : .refused) { wrong += 1 }
            if asked.isMultiple(of: Self.linkLength) {
                try await asker.disconnect()
                try await asker.connect()
            }
        }
    }

    func validate() throws {
        guard questions >= 10 else { throw ValidationError("Ten questions are the least.") }
    }

    func run() async throws {
        let world = try Program("virtual-bluez")
        defer { world.end() }
        let line = world.firstLine()
        world.dropOutput()
        guard let equals = line.firstIndex(of: "=") else {
            throw ValidationError("virtual-bluez told no bus, but '\(line)'")
        }
        let bus = String(line[line.index(after: equals)...])
        let ball = try Program("eightball-answer", ["--adapter", "hci1"], bus: bus)
        defer { ball.end() }
        ball.dropOutput()
        let watch = Task {
            try await Task.sleep(for: .seconds(60 + warmUp + questions / 10))
            print("soak: it hangs: \(questions) questions have not been asked yet")
            Glibc.exit(1)
        }
        defer { watch.cancel() }
        let asker = try await RawAsker(bus: bus)
        try await asker.find()
        try await asker.connect()

        var course = Course(asker: asker)
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(warmUp) { try await course.ask() }
        var readings = [(course.asked, ball.reading, world.reading)]
        for _ in 1...10 {
            for _ in 0..<questions / 10 { try await course.ask() }
            readings.append((course.asked, ball.reading, world.reading))
        }
        print(table([Self.columns] + readings.map(Self.cells)))
        print(
            "\n\(course.asked) asked, \(course.outcomes[.answered, default: 0]) answered, "
                + "\(course.outcomes[.refused, default: 0]) refused, "
                + "\(course.outcomes[.lost, default: 0]) lost"
        )
        let violations =
            violations("eightball-answer", readings.map(\.1))
            + violations("virtual-bluez", readings.map(\.2))
            + (course.wrong == 0
                ? [] : ["\(course.wrong) questions ended otherwise than they should"])
        for violation in violations { print("soak: \(violation)") }
        guard violations.isEmpty else { throw ExitCode(1) }
    }

    private static let columns = [
        "questions", "answer RSS KB", "fds", "threads", "virtual-bluez RSS KB", "fds", "threads",
    ]

    private static func cells(_ row: (Int, ProcessReading, ProcessReading)) -> [String] {
        [
            row.0, row.1.residentKilobytes, row.1.descriptors, row.1.threads,
            row.2.residentKilobytes, row.2.descriptors, row.2.threads,
        ].map(String.init)
    }

    private func violations(_ name: String, _ readings: [ProcessReading]) -> [String] {
        let growth = warmUp < Self.longestLimit ? Bounds.growthOfShort : Bounds.growth
        let (warm, end) = (readings[0], readings[10])
        var violations: [String] = []
        if Double(end.residentKilobytes) > Double(warm.residentKilobytes) * (1 + growth) {
            violations.append(
                "\(name) grew from \(warm.residentKilobytes) KB to \(end.residentKilobytes) KB"
            )
        }
        if Set(readings.map(\.descriptors)).count > 1 {
            violations.append("\(name) did not keep the number of its descriptors")
        }
        return violations
    }
}
