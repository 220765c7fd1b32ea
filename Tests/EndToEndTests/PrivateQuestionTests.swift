import BLEDBus
import BLEDBusTesting
import BLELocking
import Foundation
import Testing
import VirtualBlueZ

/// Which of the two ways a question takes, and what that costs.
@Suite("A private question", .timeLimit(.oneCheck))
struct PrivateQuestionTests {
    /// What an asker calls, in order, from the subscription on.
    private static func calls(
        of asking: (any World) async throws -> Tool.Outcome,
        in world: any World
    ) async throws -> [String] {
        let monitor = try Tool(
            URL(fileURLWithPath: "/usr/bin/dbus-monitor"),
            ["--address", world.bus.rawValue, "--profile"],
            bus: nil
        )
        try await monitor.line(with: "NameAcquired")
        let asked = try await asking(world)
        #expect(asked.status == 0, "\(asked)")
        try await monitor.line(with: "\tDisconnect")
        monitor.send(SIGTERM)
        let lines = await monitor.end().lines.map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
        let wanted: Set<Substring> = ["StartNotify", "WriteValue", "ReadValue", "StopNotify"]
        let asker = lines.first { $0.count > 7 && $0[7] == "StartDiscovery" }?[3]
        return lines.filter {
            $0.count > 7 && $0[0] == "mc" && $0[3] == asker && wanted.contains($0[7])
        }.map { String($0[7]) }
    }

    @Test func `is read back from a ball that can keep it private`() async throws {
        try await check { world in
            let ball = try await world.ball()
            let calls = try await Self.calls(of: { try await $0.ask("Will it rain?") }, in: world)
            #expect(calls == ["StartNotify", "WriteValue", "ReadValue", "StopNotify"])
            await ball.interrupt()
        }
    }

    @Test func `is a plain one for a ball that can not`() async throws {
        try await check { world in
            let ball = try await ScriptedBall(in: world) { ball, call in
                call.reply()
                ball.notify(Array("SLUG-ANSWER-08".utf8))
            }
            let calls = try await Self.calls(of: { try await $0.ask("Will it rain?") }, in: world)
            #expect(calls == ["StartNotify", "WriteValue", "StopNotify"])
            withExtendedLifetime(ball) {}
        }
    }

    @Test func `may have all bytes that a question may have, and so its answer`() async throws {
        try await check { world in
            let answer = String(repeating: "y", count: 480)
            let ball = try await world.ball("--answer", answer)
            let question = String(repeating: "x", count: 479) + "?"
            let asked = try await world.ask(question)
            #expect(asked.lines == [answer], "\(asked)")
            await ball.interrupt()
        }
    }

    @Test func `is asked again while the ball is busy`() async throws {
        try await check { world in
            let refusals = Locked(2)
            let ball = try await ScriptedBall(in: world) { ball, call in
                let isBusy = refusals.withLock { count in
                    count -= 1
                    return count >= 0
                }
                guard isBusy else {
                    call.reply()
                    return ball.notify(Array("At last.".utf8))
                }
                call.fail(ErrorReply(.init(rawValue: "org.bluez.Error.Failed"), "0x90"))
            }
            let asked = try await world.ask("--timeout", "20", "Will it rain?")
            #expect(asked.lines == ["At last."])
            withExtendedLifetime(ball) {}
        }
    }

    /// Each connects when the one before it has: two emulated controllers that hear the same
    /// advertisement both connect, and the kernel never tells the one that came second that it failed.
    @Test func `can be asked by several at once, and each has an answer of its own`() async throws {
        try await check(adapters: 4) { world in
            let command = "read -r line; sleep \(world.seconds(1)); echo \"to $line\""
            let ball = try await world.ball("--at-once", "3", "--exec", command)
            var askers: [(question: String, tool: Tool)] = []
            for adapter in ["hci0", "hci2", "hci3"] {
                let question = "Is it \(adapter)?"
                let options = ["--adapter", adapter, "--json", "--timeout", world.seconds(30)]
                let asker = try Tool("eightball-ask", options + [question], bus: world.bus.rawValue)
                askers.append((question, asker))
                try await asker.line(with: #""event":"connected""#)
            }
            for (question, asker) in askers {
                let outcome = await asker.end()
                #expect(outcome.status == 0, "\(outcome)")
                let answers = outcome.events.compactMap { $0["answer"] as? String }
                #expect(answers == ["to \(question)"], "\(outcome)")
            }
            let told = await ball.interrupt().events.filter { $0["event"] as? String == "answer" }
            #expect(told.count == 3)
        }
    }
}
