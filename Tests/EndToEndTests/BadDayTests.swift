import Testing

/// Each bad day ends in the right error, within its limit; its row of the table is printed.
@Suite("A bad day", .timeLimit(.oneCheck))
struct BadDayTests {
    @Test(arguments: BadDay.withoutARadio + BadDay.withoutABall + BadDay.withABadText)
    func `ends with a status and a line that tells`(day: BadDay) async throws {
        try await check(day.description, timing: day.timing) { world in
            let outcome = try await day.run(world)
            #expect(outcome.status == day.status, "\(outcome)")
            let told = outcome.errors.split(separator: "\n").last.map(String.init)
            let isJSON = outcome.output.hasPrefix("{")
            let message = isJSON ? outcome.lines.last ?? "" : told ?? ""
            let all = outcome.errors + outcome.output
            #expect(all.contains(day.message), "\(outcome)")
            #expect(!message.isEmpty)
            print("bad day | \(day) | \(outcome.status) | \(message)")
        }
    }
}
