import BLETesting
import Testing

@testable import BLESocket

@Suite("What a socket is to send")
struct SendQueueTests {
    private var queue = SendQueue(maximumCount: 3, maximumByteCount: 100)

    @Test mutating func `goes out in order, in chunks, one at a time`() throws {
        try queue.add(1, Array(0..<5), by: nil)
        try queue.add(2, [9], by: nil)
        #expect(queue.nextChunk(upTo: 3) == [0, 1, 2])
        #expect(queue.nextChunk(upTo: 3) == nil)
        #expect(queue.sent() == [])
        #expect(queue.nextChunk(upTo: 20) == [3, 4])
        #expect(queue.sent() == ["sent 1"])
        #expect(queue.nextChunk(upTo: 20) == [9])
        #expect(queue.sent() == ["sent 2"])
        #expect(queue.isEmpty)
        #expect(queue.sent() == [])
    }

    @Test mutating func `may be empty, and has its turn`() throws {
        try queue.add(1, [], by: nil)
        #expect(queue.takeEmpty().map(\.name) == ["sent 1"])
        try queue.add(2, [1], by: nil)
        try queue.add(3, [], by: nil)
        #expect(queue.takeEmpty().isEmpty)
        #expect(queue.nextChunk(upTo: 20) == [1])
        #expect(queue.sent() == ["sent 2", "sent 3"])
    }

    @Test mutating func `has a limit, but for one alone`() throws {
        try queue.add(1, [UInt8](repeating: 0, count: 1_000), by: nil)
        #expect(throws: SocketError.self) { try queue.add(2, [1], by: nil) }
        _ = queue.nextChunk(upTo: 1_000)
        #expect(queue.sent() == ["sent 1"])
        for id in 2...4 { try queue.add(id, [1], by: nil) }
        #expect(throws: SocketError.self) { try queue.add(5, [], by: nil) }
    }

    @Test mutating func `fails where the radio does not take it, and goes on with the next`() throws
    {
        try queue.add(1, Array(0..<5), by: nil)
        try queue.add(2, [9], by: nil)
        _ = queue.nextChunk(upTo: 3)
        #expect(queue.didFail(CancellationError()).map(\.name) == ["lostConnection 1"])
        #expect(queue.nextChunk(upTo: 3) == [9])
        #expect(queue.didFail(CancellationError()).map(\.name) == ["lostConnection 2"])
        #expect(queue.isEmpty)
    }

    @Test mutating func `is cancelled, also when a part is under way`() throws {
        try queue.add(1, Array(0..<5), by: nil)
        try queue.add(2, [9], by: nil)
        try queue.add(3, [8], by: nil)
        _ = queue.nextChunk(upTo: 3)
        #expect(queue.cancel(3).map(\.name) == ["cancelled 3"])
        #expect(queue.cancel(1).map(\.name) == ["cancelled 1"])
        #expect(queue.cancel(1).isEmpty)
        // What is under way has to be over first.
        #expect(queue.nextChunk(upTo: 3) == nil)
        #expect(queue.sent() == [])
        #expect(queue.nextChunk(upTo: 3) == [9])
    }

    @Test mutating func `fails when its time is over`() throws {
        try queue.add(1, Array(0..<5), by: .seconds(2))
        try queue.add(2, [9], by: .seconds(1))
        #expect(queue.deadline == .seconds(1))
        #expect(queue.passTime(.milliseconds(999)).isEmpty)
        #expect(queue.passTime(.seconds(1)).map(\.name) == ["timedOut 2"])
        #expect(queue.deadline == .seconds(2))
        #expect(queue.passTime(.seconds(2)).map(\.name) == ["timedOut 1"])
        #expect(queue.isEmpty)
    }

    @Test mutating func `fails when the socket is closed`() throws {
        try queue.add(1, Array(0..<5), by: nil)
        try queue.add(2, [9], by: nil)
        _ = queue.nextChunk(upTo: 3)
        let error = SocketError(.notConnected, "closed")
        #expect(queue.close(error).map(\.name) == ["notConnected 1", "notConnected 2"])
        #expect(queue.isEmpty)
        #expect(queue.sent() == [])
    }

    /// Whatever happens, each has one outcome, and what was reported as sent was sent whole, in order.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `has one outcome each`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var queue = SendQueue(maximumCount: 5, maximumByteCount: 60)
        var added: [Int: [UInt8]] = [:]
        var outcomes: [Int: Bool] = [:]
        var chunk: [UInt8]?
        var taken: [UInt8] = []
        func note(_ new: [SendQueue.Outcome]) {
            for outcome in new {
                #expect(outcomes[outcome.id] == nil, "\(outcome.id) ended twice")
                outcomes[outcome.id] = outcome.error == nil
            }
        }
        for id in 1...200 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...2:
                let bytes = [UInt8](
                    repeating: UInt8(id),
                    count: Int.random(in: 0...20, using: &random)
                )
                let deadline = Bool.random(using: &random) ? Duration.seconds(id + 20) : nil
                guard (try? queue.add(id, bytes, by: deadline)) != nil else { break }
                added[id] = bytes
                note(queue.takeEmpty())
            case 3...5:
                if let next = queue.nextChunk(upTo: Int.random(in: 1...8, using: &random)) {
                    chunk = next
                }
            case 6, 7:
                guard let done = chunk else { break }
                chunk = nil
                taken += done
                note(queue.didSend())
            case 8:
                if chunk != nil, Bool.random(using: &random) {
                    chunk = nil
                    note(queue.didFail(CancellationError()))
                }
                note(queue.passTime(.seconds(id)))
            default: note(queue.cancel(Int.random(in: 1...id, using: &random)))
            }
        }
        note(queue.close(SocketError(.notConnected, "closed")))
        #expect(Set(outcomes.keys) == Set(added.keys))
        for (id, bytes) in added where outcomes[id] == true {
            #expect(taken.count { $0 == UInt8(id) } == bytes.count, "\(id) was not sent whole")
        }
        #expect(taken == taken.sorted())
    }
}

extension SendQueue {
    fileprivate mutating func sent() -> [String] { didSend().map(\.name) }
}

extension SendQueue.Outcome {
    fileprivate var name: String { error.map { "\($0.code) \(id)" } ?? "sent \(id)" }
}
