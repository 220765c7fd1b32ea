import BLETesting
import Foundation
import Testing

@testable import BlueChat

/// Two ends under seeded schedules: sessions end at any record, programs at any moment.
@Suite("Two ends of a conversation")
struct ConversationScheduleTests {
    private struct World {
        var random: SeededGenerator
        var ends = [KeptConversation(), KeptConversation()]
        /// What was sent in this session, and is on its way to an end.
        var ways: [[Record]] = [[], []]
        var isLinked = false

        mutating func pick(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }

        mutating func endSession() {
            isLinked = false
            ways = [[], []]
            for end in 0..<2 { ends[end].endSession() }
        }

        mutating func step(_ end: Int, isCalm: Bool) throws {
            switch pick(isCalm ? 0..<7 : 0..<11) {
            case 0, 1:
                guard isLinked, ways[1 - end].count < 8, let record = ends[end].nextRecord() else {
                    break
                }
                ways[1 - end].append(record)
            case 2, 3:
                guard !ways[end].isEmpty else { break }
                try ends[end].receive(ways[end].removeFirst())
            case 4: ends[end].keep()
            case 5: if !isLinked { begin() }
            case 6: if pick(0..<4) == 0 { ends[end].markRead() }
            case 7, 8:
                guard ends[end].written.count < 12 else { break }
                let byteCount = pick(0..<16) == 0 ? 9_000 : pick(1..<40)
                try ends[end].write(.random(byteCount, using: &random))
            case 9: if pick(0..<6) == 0 { endSession() }
            default:
                guard pick(0..<12) == 0 else { break }
                endSession()
                ends[end].restart()
            }
        }

        mutating func begin() {
            isLinked = true
            for end in 0..<2 { ends[end].beginSession() }
        }
    }

    /// `EIGHTBALL_SCHEDULES` says how many.
    static func seeds(_ count: UInt64) -> Range<UInt64> {
        let environment = ProcessInfo.processInfo.environment
        return 0..<(environment["EIGHTBALL_SCHEDULES"].flatMap { UInt64($0) } ?? count)
    }

    @Test func `lose nothing, double nothing and keep the order`() async throws {
        for seed in Self.seeds(1_000) {
            await Task.yield()
            var world = World(random: SeededGenerator(seed: seed))
            for _ in 0..<world.pick(1..<250) {
                try world.step(world.pick(0..<2), isCalm: false)
            }
            var steps = 0
            while !world.ends.allSatisfy(\.isDone) || world.ways != [[], []], steps < 20_000 {
                try world.step(world.pick(0..<2), isCalm: true)
                steps += 1
            }
            let (one, other) = (world.ends[0], world.ends[1])
            try #require(one.received == other.written, "seed \(seed)")
            try #require(other.received == one.written, "seed \(seed)")
            try #require(Set(one.delivered) == Set(one.written.map(\.id)), "seed \(seed)")
            try #require(Set(other.delivered) == Set(other.written.map(\.id)), "seed \(seed)")
        }
    }
}
