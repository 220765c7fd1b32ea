import BLEDBus
import Foundation
import Testing

@Suite("A question", .timeLimit(.oneCheck))
struct QuestionTests {
    @Test func `is answered by another process`() async throws {
        try await check { world in
            let ball = try await world.ball("--name", "Ours", "--once")
            let asked = try await world.ask("Will it rain?")
            #expect(asked.status == 0)
            #expect(asked.lines.count == 1)
            #expect(asked.errors.contains("'Ours'"))
            let answered = await ball.end()
            #expect(answered.status == 0)
            #expect(
                answered.events.last { $0["event"] as? String == "answer" }?["answer"] as? String
                    == asked.lines.first
            )
        }
    }

    @Test func `tells each step as JSON`() async throws {
        try await check { world in
            let ball = try await world.ball("--answer", "SLUG-ANSWER-03")
            let asked = try await world.ask("--json", "Will it rain?")
            #expect(asked.status == 0)
            #expect(
                asked.eventNames == [
                    "scanning", "sighting", "connected", "asked", "answered", "disconnected",
                ]
            )
            let answer = try #require(asked.events.first { $0["event"] as? String == "answered" })
            #expect(answer["answer"] as? String == "Yes – definitely.")
            #expect(answer["slug"] as? String == "SLUG-ANSWER-03")
            #expect(answer["kind"] as? String == "affirmative")
            #expect(asked.events[1]["rssi"] as? Int == -50)
            #expect(asked.errors.isEmpty)
            ball.send(SIGINT)
        }
    }

    @Test func `has an answer of the owner's own`() async throws {
        try await check { world in
            let ball = try await world.ball("--answer", "Ask \u{1B}[31mme ‘later’.")
            let asked = try await world.ask("Will it rain?")
            #expect(asked.lines.first?.contains("me ‘later’.") == true)
            #expect(!asked.output.contains("\u{1B}"))
            ball.send(SIGTERM)
            #expect(await ball.end().status == 143)
        }
    }

    @Test func `finds the ball that was named, by name or address`() async throws {
        try await check(adapters: 3) { world in
            let first = try await world.ball("--name", "First", "--answer", "one")
            let second = try await world.ball(on: 2, "--name", "Second", "--answer", "two")
            #expect(try await world.ask("--name", "Second", "Who?").lines == ["two"])
            #expect(try await world.ask("--device", "00:aa:01:01:00:01", "Who?").lines == ["one"])
            first.send(SIGINT)
            second.send(SIGINT)
        }
    }

    @Test func `can be asked again and again, by one after the other`() async throws {
        try await check { world in
            let ball = try await world.ball()
            for _ in 0..<3 { #expect(try await world.ask("Again?").status == 0) }
            #expect(ball.isRunning)
            let told = await ball.interrupt()
            #expect(told.status == 130)
            #expect(told.eventNames.filter { $0 == "answer" }.count == 3)
        }
    }

    @Test func `is answered before the link is ended, and the link ends all the same`() async throws
    {
        try await check { world in
            let ball = try await world.ball()
            let observer = try await world.observer()
            let device = try world.device(1)
            #expect(try await world.ask("Will it rain?").status == 0)
            // Device1.Disconnect takes two seconds; nobody waited for them.
            #expect(
                try await observer.property("Connected", of: "Device1", at: device)?.bool == true
            )
            try await observer.wait(for: "Connected", of: "Device1", at: device) {
                $0?.bool == false
            }
            ball.send(SIGINT)
        }
    }
}
