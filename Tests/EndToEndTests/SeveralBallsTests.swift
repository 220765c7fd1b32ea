import BLEDBus
import Foundation
import Testing
import VirtualBlueZ

@Suite("Several balls", .timeLimit(.oneCheck))
struct SeveralBallsTests {
    /// Balls of these names on hci1 and on, each of which answers with its name.
    private func balls(_ names: String..., in world: any World) async throws -> [Tool] {
        var balls: [Tool] = []
        for (index, name) in names.enumerated() {
            let ball = try world.tool(
                "eightball-answer",
                "--adapter",
                "hci\(index + 1)",
                "--name",
                name,
                "--answer",
                "I am \(name).",
                "--json"
            )
            try await ball.line(with: #""event":"advertising""#)
            balls.append(ball)
        }
        return balls
    }

    /// Ends tools that run until they are told to.
    private func end(_ tools: [Tool]) async {
        for tool in tools { tool.send(SIGINT) }
        for tool in tools { await tool.end() }
    }

    @Test func `are all asked, and each answers`() async throws {
        try await check(adapters: 4) { world in
            let balls = try await balls("Red", "Green", "Blue", in: world)
            let asked = try await world.ask("--all", "--scan-for", world.seconds(4), "Who?")
            #expect(asked.status == 0)
            #expect(
                asked.lines.sorted() == [
                    "Blue: I am Blue.", "Green: I am Green.", "Red: I am Red.",
                ]
            )
            await end(balls)
        }
    }

    @Test func `are all asked, and what each says is told as JSON`() async throws {
        try await check(adapters: 3) { world in
            let balls = try await balls("Red", "Blue", in: world)
            let asked = try await world.ask(
                "--all",
                "--scan-for",
                world.seconds(4),
                "--json",
                "Who"
            )
            #expect(asked.status == 65)
            let failures = asked.events.filter { $0["event"] as? String == "failed" }
            #expect(Set(failures.compactMap { $0["name"] as? String }) == ["Red", "Blue"])
            #expect(failures.allSatisfy { $0["reason"] as? String == "questionPlease" })
            #expect(asked.events.last?["event"] as? String == "error")
            #expect((asked.events.last?["message"] as? String)?.contains("none of 2 balls") == true)
            await end(balls)
        }
    }

    @Test func `answer though one of them fails`() async throws {
        try await check(timing: Timing(disconnecting: .milliseconds(20)), adapters: 3) { world in
            let silent = try await ScriptedBall(in: world) { _, call in call.reply() }
            let ball = try await world.ball(on: 2, "--name", "Red", "--answer", "I am Red.")
            let asked = try await world.ask(
                "--all",
                "--scan-for",
                world.seconds(4),
                "--timeout",
                world.seconds(6),
                "Who?"
            )
            #expect(asked.status == 0)
            #expect(asked.lines == ["Red: I am Red."])
            #expect(asked.errors.contains("'Scripted'"))
            withExtendedLifetime(silent) {}
            await end([ball])
        }
    }

    @Test func `are asked as they are heard, and the first answer counts`() async throws {
        try await check(timing: Timing(disconnecting: .milliseconds(20)), adapters: 3) { world in
            let silent = try await ScriptedBall(in: world) { _, call in call.reply() }
            let ball = try await world.ball(on: 2, "--name", "Red", "--answer", "I am Red.")
            let asked = try await world.ask("--first", "--timeout", "30", "Who?")
            #expect(asked.status == 0)
            #expect(asked.lines == ["Red: I am Red."])
            withExtendedLifetime(silent) {}
            await end([ball])
        }
    }

    @Test(arguments: ["--all", "--first"])
    func `are missed when there are none`(option: String) async throws {
        try await check(option) { world in
            let asked = try await world.ask(option, "--scan-for", "0.3", "Who?")
            #expect(asked.status == 68)
            #expect(asked.errors.contains("no matching ball found within 300 ms"))
        }
    }

    @Test func `are asked by name, too`() async throws {
        try await check(adapters: 3) { world in
            let balls = try await balls("Red", "Blue", in: world)
            let asked = try await world.ask(
                "--all",
                "--scan-for",
                world.seconds(4),
                "--name",
                "Blue",
                "Who?"
            )
            #expect(asked.lines == ["Blue: I am Blue."])
            await end(balls)
        }
    }

    @Test func `are listed as they come and go`() async throws {
        try await check(timing: Timing(removal: .milliseconds(600)), adapters: 3) { world in
            let balls = try await balls("Red", "Blue", in: world)
            let list = try world.tool("eightball-ask", "--adapter", "hci0", "--list", "--json")
            try await list.line(
                with: #""event":"sighting","device":"00:AA:01:01:00:01","name":"Red""#
            )
            try await list.line(
                with: #""event":"sighting","device":"00:AA:01:02:00:02","name":"Blue""#
            )
            await end([balls[0]])
            try await list.line(with: #""event":"lost","device":"00:AA:01:01:00:01","name":"Red""#)
            let listed = await list.interrupt()
            #expect(listed.status == 130)
            #expect(listed.eventNames.first == "scanning")
            await end([balls[1]])
        }
    }

    @Test func `are listed for people, and for a time`() async throws {
        try await check { world in
            let balls = try await balls("Red", in: world)
            let listed = try await world.ask("--list", "--scan-for", "3")
            #expect(listed.status == 0)
            #expect(listed.lines == ["found  00:AA:01:01:00:01  -50 dBm   Red"])
            await end(balls)
        }
    }

    @Test func `change when they move`() async throws {
        try await check(virtualOnlyBecause: "its controllers are all equally far") { world in
            let daemon = try await #require(world as? VirtualWorld).daemon
            let balls = try await balls("Red", in: world)
            let list = try world.tool("eightball-ask", "--adapter", "hci0", "--list", "--json")
            try await list.line(with: "sighting")
            await daemon.simulateProximityChange(.far, between: 0, and: 1)
            try await list.line(with: #""event":"changed""#)
            await list.interrupt()
            await end(balls)
        }
    }

    @Test func `need a question, or none to be listed`() async throws {
        try await check { world in
            for wrong in [["--list", "Who?"], ["--all"], ["--all", "--first", "Who?"]] {
                let outcome = try await world.ask(wrong)
                #expect(outcome.status == 64, "\(wrong)")
            }
        }
    }
}
