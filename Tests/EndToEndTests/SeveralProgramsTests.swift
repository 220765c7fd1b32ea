import BLEDBus
import Foundation
import Testing
import VirtualBlueZ

/// Programs that ask one ball over one adapter, and so over one link.
@Suite("Several programs on one host", .timeLimit(.oneCheck))
struct SeveralProgramsTests {
    private static let timing = Timing(disconnecting: .milliseconds(20))

    /// A ball that repeats each question: one that is slow after some seconds, a slower one later.
    private func ball(in world: any World) async throws -> Tool {
        let command = """
            read -r line
            case $line in
            Slower*) sleep \(world.seconds(3));;
            Slow*) sleep \(world.seconds(1));;
            esac
            echo "to $line"
            """
        return try await world.ball("--at-once", "8", "--exec", command)
    }

    private func asker(_ question: String, in world: any World) throws -> Tool {
        try world.asker("--timeout", world.seconds(30), "--json", question)
    }

    private func expectAnswer(to question: String, _ asker: Tool) async {
        let outcome = await asker.end()
        #expect(outcome.status == 0, "\(outcome)")
        let answers = outcome.events.compactMap { $0["answer"] as? String }
        #expect(answers == ["to \(question)"], "\(outcome)")
    }

    /// The last program has ended the link.
    private func expectNoLink(in world: any World) async throws {
        let observer = try await world.observer()
        let peer = try world.device(1)
        try await observer.wait(for: "Connected", of: "Device1", at: peer) { $0?.bool == false }
    }

    @Test(arguments: [2, 8])
    func `that start at once get each its own answer`(count: Int) async throws {
        try await check("\(count) that start at once get each its own answer", timing: Self.timing)
        {
            world in
            let ball = try await ball(in: world)
            var askers: [(question: String, tool: Tool)] = []
            for number in 1...count {
                // Slow, so that none leaves before the last has subscribed.
                let question = "Slow is \(number * 7919) it?"
                askers.append((question, try asker(question, in: world)))
            }
            for (question, tool) in askers { await expectAnswer(to: question, tool) }
            try await expectNoLink(in: world)
            await ball.interrupt()
        }
    }

    @Test func `keep the link when the one that made it leaves first`() async throws {
        try await check(timing: Self.timing) { world in
            let ball = try await ball(in: world)
            let maker = try asker("Slow is it?", in: world)
            try await maker.line(with: #""event":"asked""#)
            let other = try asker("Slower is it?", in: world)
            try await other.line(with: #""event":"asked""#)
            await expectAnswer(to: "Slow is it?", maker)
            await expectAnswer(to: "Slower is it?", other)
            try await expectNoLink(in: world)
            await ball.interrupt()
        }
    }

    @Test func `leave the link to one that has not subscribed yet`() async throws {
        try await check(timing: Self.timing) { world in
            let ball = try await ball(in: world)
            let bus = try await AskersBus(world.bus.rawValue)
            let early = try await RawAsker("hci0", ball: 1, on: bus)
            await expectAnswer(to: "Is it?", try asker("Is it?", in: world))
            try await early.subscribe(to: RawAsker.reply)
            let outcome = try await early.askPrivately("And is it?", tag: 1)
            #expect(outcome == .told(status: 0, text: "to And is it?"))
            try await early.leave()
            try await expectNoLink(in: world)
            await bus.connection.close()
            await ball.interrupt()
        }
    }
}
