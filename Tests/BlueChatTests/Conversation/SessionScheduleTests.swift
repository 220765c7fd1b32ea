import BLETesting
import NoiseProtocol
import Testing

@testable import BlueChat

/// A caller and a callee over a link of which each operation may fail on its way there or back.
@Suite("A session")
struct SessionScheduleTests {
    private struct Link {
        var caller: CallerSession
        var callee: CalleeSession
        let mtuBytes: Int
        var isNotified = false
        var callerKnows = false
        var calleeKnows = false
    }

    private struct World {
        var random: SeededGenerator
        let keys = (IdentityKey(), IdentityKey())
        var caller = KeptConversation()
        var callee = KeptConversation()
        var link: Link?
        var sessionCount = 0

        mutating func pick(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }

        mutating func connect() {
            sessionCount += 1
            let id = UInt16.random(in: 0...UInt16.max, using: &random)
            link = Link(
                caller: CallerSession(id: id, key: keys.0, name: "Alice"),
                callee: CalleeSession(id: id, key: keys.1, name: "Bob"),
                mtuBytes: pick(23..<518)
            )
        }

        mutating func endLink() {
            link = nil
            caller.endSession()
            callee.endSession()
        }

        /// The caller's next operation, and what comes of it.
        mutating func operate(isCalm: Bool) throws {
            guard var link else { return connect() }
            if link.isNotified || pick(0..<50) == 0 { link.caller.wasNotified() }
            link.isNotified = false
            var operation: CallerSession.Operation?
            if link.callerKnows {
                try caller.change {
                    operation = try link.caller.nextOperation(upTo: link.mtuBytes - 3, &$0)
                }
            } else {
                var nobody: Conversation?
                operation = try link.caller.nextOperation(upTo: link.mtuBytes - 3, &nobody)
            }
            self.link = link
            guard let operation else { return }
            if !isCalm, pick(0..<150) == 0 { return endLink() }
            let value = try perform(operation)
            if !isCalm, pick(0..<150) == 0 { return endLink() }
            if let value { try callerReceives(value) }
        }

        private mutating func perform(_ operation: CallerSession.Operation) throws -> [UInt8]? {
            switch operation {
            case .write(let bytes):
                #expect(bytes.count <= (link?.mtuBytes ?? 0) - 3)
                let value = try #require(SessionValue(bytes))
                switch try link?.callee.receive(value) {
                case .established(let key, let name):
                    #expect(key == keys.0.publicKey && name == "Alice")
                    link?.calleeKnows = true
                    callee.beginSession()
                case .record(let record): try callee.receive(record)
                case nil: break
                }
                notify()
                return nil
            case .read:
                let value = try read()
                #expect(value.count <= (link?.mtuBytes ?? 0) - 1)
                // Another program of the device may have read the same.
                if pick(0..<4) == 0 { #expect(try read() == value || value.isEmpty) }
                return value
            }
        }

        private mutating func read() throws -> [UInt8] {
            guard var link else { return [] }
            var value: [UInt8] = []
            if link.calleeKnows {
                try callee.change {
                    value = try link.callee.value(upTo: link.mtuBytes - 1, &$0)
                }
            } else {
                var nobody: Conversation?
                value = try link.callee.value(upTo: link.mtuBytes - 1, &nobody)
            }
            self.link = link
            return value
        }

        private mutating func callerReceives(_ value: [UInt8]) throws {
            switch try link?.caller.receive(value) {
            case .established(let key, let name):
                #expect(key == keys.1.publicKey && name == "Bob")
                link?.callerKnows = true
                caller.beginSession()
            case .record(let record): try caller.receive(record)
            case nil: break
            }
        }

        mutating func notify() {
            guard var link else { return }
            let conversation = link.calleeKnows ? callee.conversation : nil
            if link.callee.hasValue(conversation) { link.isNotified = true }
            self.link = link
        }

        mutating func step(isCalm: Bool) throws {
            switch pick(isCalm ? 0..<6 : 0..<9) {
            case 0, 1, 2: try operate(isCalm: isCalm)
            case 3: caller.keep()
            case 4:
                callee.keep()
                notify()
            case 5: pick(0..<2) == 0 ? caller.markRead() : callee.markRead()
            case 6: if caller.written.count < 6 { try caller.write(message()) }
            case 7:
                if callee.written.count < 6 { try callee.write(message()) }
                notify()
            default:
                guard pick(0..<40) == 0 else { break }
                endLink()
                pick(0..<2) == 0 ? caller.restart() : callee.restart()
            }
        }

        private mutating func message() throws -> ChatMessage {
            try .random(pick(0..<16) == 0 ? 6_000 : pick(1..<100), using: &random)
        }
    }

    @Test func `carries all messages, whatever happens to the link`() async throws {
        for seed in ConversationScheduleTests.seeds(50) {
            await Task.yield()
            var world = World(random: SeededGenerator(seed: seed))
            for _ in 0..<world.pick(1..<400) { try world.step(isCalm: false) }
            var steps = 0
            while !world.caller.isDone || !world.callee.isDone, steps < 50_000 {
                try world.step(isCalm: true)
                steps += 1
            }
            try #require(world.caller.received == world.callee.written, "seed \(seed)")
            try #require(world.callee.received == world.caller.written, "seed \(seed)")
            #expect(world.caller.delivered.count == world.caller.written.count, "seed \(seed)")
            #expect(world.callee.delivered.count == world.callee.written.count, "seed \(seed)")
        }
    }
}
