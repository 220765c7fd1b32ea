import BLE
import BLETesting
import Testing

@testable import BLESession

@Suite("A pool of links", .timeLimit(.minutes(10)))
struct LinkPoolTests {
    /// A pool with a link to each of so many peers, which are in use.
    private func pool(
        _ count: Int,
        atMost maximumCount: Int? = nil,
        givingWayAfter quietTime: Duration = .zero
    ) async throws -> (pool: LinkPool, peers: [PeerID]) {
        let air = MemoryAir()
        let central = await air.radio("Phone")
        var pool = LinkPool(
            over: central,
            atMost: maximumCount,
            keepingIdleFor: .seconds(1),
            givingWayAfter: quietTime,
            on: clock
        )
        var peers: [PeerID] = []
        for number in 0..<count {
            let radio = await air.radio("Ball \(number)")
            _ = try await radio.advertise(Advertisement(localName: "Ball", serviceUUIDs: []))
            for try await case .seen(let sighting) in try await central.scan(ScanFilter())
            where sighting.peer == radio.peer { break }
            pool.add(try await central.connect(to: radio.peer))
            peers.append(radio.peer)
        }
        return (pool, peers)
    }

    private let clock = ManualClock()

    private actor Owner {}

    /// One that is never reached.
    private var deadline: Deadline {
        Deadline(after: .seconds(1), on: ManualClock(), of: Owner()) { _ in }
    }

    /// - Returns: whether the link is to be ended now.
    private func endUse(of peer: PeerID, in pool: inout LinkPool) -> Bool {
        pool.endUse(of: peer) { _, _ in deadline }
    }

    @Test func `ends those first that have been idle longest`() async throws {
        var (pool, peers) = try await pool(3)
        #expect(pool.longestIdle == nil)
        for peer in peers.reversed() { _ = pool.endUse(of: peer) { _, _ in deadline } }
        #expect(pool.longestIdle == peers[2])
        pool.beginUse(of: peers[2])
        #expect(pool.longestIdle == peers[1])
        _ = pool.endUse(of: peers[2]) { _, _ in deadline }
        #expect(pool.longestIdle == peers[1])
        pool.remove(peers[1])
        #expect(pool.longestIdle == peers[0])
    }

    @Test func `tells a link that was used meanwhile from one that was not`() async throws {
        var (pool, peers) = try await pool(1)
        var numbers: [Int] = []
        for _ in 0..<2 {
            pool.beginUse(of: peers[0])
            #expect(!pool.isIdle(peers[0]))
            let isToEnd = pool.endUse(of: peers[0]) { number, limit in
                #expect(limit == .seconds(1))
                numbers.append(number)
                return deadline
            }
            #expect(!isToEnd)
        }
        #expect(pool.isIdle(peers[0]))
        #expect(!pool.hasBeenIdle(peers[0], since: numbers[0]))
        #expect(pool.hasBeenIdle(peers[0], since: numbers[1]))
    }

    @Test func `cancels the timer of a link that is used, held or removed`() async throws {
        let changes: [(inout LinkPool, PeerID) -> Void] = [
            { $0.beginUse(of: $1) }, { $0.hold($1) }, { $0.remove($1) },
        ]
        for change in changes {
            var (pool, peers) = try await pool(1)
            let timer = deadline
            _ = pool.endUse(of: peers[0]) { _, _ in timer }
            #expect(timer.task?.isCancelled == false)
            change(&pool, peers[0])
            #expect(timer.task?.isCancelled == true)
        }
    }

    @Test func `keeps links that are held, until they are released and no longer used`()
        async throws
    {
        var (pool, peers) = try await pool(2)
        pool.hold(peers[0])
        for peer in peers {
            let isToEnd = pool.endUse(of: peer) { _, _ in deadline }
            #expect(!isToEnd)
        }
        #expect(pool.longestIdle == peers[1])
        pool.beginUse(of: peers[0])
        pool.release(peers[0])
        #expect(endUse(of: peers[0], in: &pool))
        #expect(pool.isIdle(peers[0]))
    }

    @Test func `holds the links to come, and releases those that are being made`() async throws {
        var (pool, peers) = try await pool(1)
        let link = try #require(pool[peers[0]])
        pool.hold(peers[0])
        pool.remove(peers[0])
        pool.add(link)
        #expect(!endUse(of: peers[0], in: &pool))
        #expect(pool.longestIdle == nil)
        pool.remove(peers[0])
        pool.release(peers[0], isConnecting: true)
        pool.add(link)
        #expect(endUse(of: peers[0], in: &pool))
        pool.remove(peers[0])
        pool.release(peers[0])
        pool.add(link)
        #expect(!endUse(of: peers[0], in: &pool))
    }

    @Test func `keeps the next link when the one that was being made has failed`() async throws {
        var (pool, peers) = try await pool(1)
        let removed = pool.remove(peers[0])
        let link = try #require(removed)
        pool.release(peers[0], isConnecting: true)
        let failed = pool.remove(peers[0])
        #expect(failed == nil)
        pool.add(link)
        #expect(!endUse(of: peers[0], in: &pool))
    }

    @Test
    func
        `has room for so many, with those that are being made, and for others when it has idle ones`()
        async throws
    {
        var (pool, peers) = try await pool(2, atMost: 3, givingWayAfter: .seconds(60))
        let (third, fourth) = (PeerID(rawValue: "third"), PeerID(rawValue: "fourth"))
        #expect(pool.hasRoom)
        pool.begin(third)
        #expect(!pool.hasRoom && !pool.isOverfull)
        #expect(pool[third] == nil && !pool.isIdle(third))
        _ = endUse(of: peers[0], in: &pool)
        await clock.advance(by: .seconds(59))
        #expect(!pool.hasRoom && pool.longestIdle == nil)
        await clock.advance(by: .seconds(1))
        #expect(pool.hasRoom)
        // One idle link makes room for one.
        pool.begin(fourth)
        #expect(!pool.hasRoom && pool.isOverfull)
        pool.remove(fourth)
        pool.hold(peers[0])
        #expect(!pool.hasRoom)
        pool.removeAll()
        #expect(pool.hasRoom && pool[peers[1]] == nil)
    }

    @Test func `lets calls wait for the end of a link`() async throws {
        var (pool, peers) = try await pool(1)
        let end = pool.end(of: peers[0])
        #expect(pool.isGivingWay(peers[0]))
        let waiting = Task { for try await _ in try #require(end) {} }
        let removed = pool.remove(peers[0])
        #expect(removed?.peer == peers[0])
        try await waiting.value
        let none = pool.end(of: peers[0])
        #expect(none == nil)
    }
}
