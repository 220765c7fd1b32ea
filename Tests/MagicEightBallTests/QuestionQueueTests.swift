import BLE
import Testing

@testable import MagicEightBall

@Suite("The queue of questions")
struct QuestionQueueTests {
    private let ball = EightBallPeripheral(radio: ScriptedPeripheralRadio(), name: "Ball")

    private func question(_ id: Int, of peer: String, isPlain: Bool = false) -> PendingQuestion {
        PendingQuestion(
            id: id,
            question: Question(received: "\(id)?"),
            asker: Asker(id: PeerID(rawValue: peer), ball: ball),
            way: isPlain ? .plain : .inquiry(InquiryTag(UInt64(id))),
            mtuBytes: 23
        )
    }

    @Test func `gives turns in the order of arrival`() {
        var queue = QuestionQueue(maximumWaiting: 4, maximumThinking: 2)
        for id in 1...4 { queue.add(question(id, of: "\(id)")) }
        #expect([queue.next()?.id, queue.next()?.id, queue.next()?.id] == [1, 2, nil])
        #expect((1...4).map { queue.place(of: $0) } == [nil, nil, 1, 2])
        #expect(queue.remove(1)?.id == 1)
        #expect([queue.next()?.id, queue.next()?.id] == [3, nil])
        #expect(queue.all.map(\.id) == [2, 3, 4])
    }

    @Test(arguments: [(0, 1), (0, 3), (2, 1), (16, 4)])
    func `takes as many as may wait and be thought about`(waiting: Int, atOnce: Int) {
        var queue = QuestionQueue(maximumWaiting: waiting, maximumThinking: atOnce)
        for id in 0..<(waiting + atOnce) {
            #expect(queue.hasRoom)
            queue.add(question(id, of: "\(id)"))
            _ = queue.next()
        }
        #expect(!queue.hasRoom)
        _ = queue.remove(0)
        #expect(queue.next()?.id == (waiting > 0 ? atOnce : nil))
        #expect(queue.hasRoom)
    }

    @Test func `knows the inquiry of an asker, and whether the plain pair is in use`() {
        var queue = QuestionQueue(maximumWaiting: 4, maximumThinking: 1)
        queue.add(question(1, of: "A", isPlain: true))
        #expect(queue.hasPlainQuestion)
        #expect(queue.inquiry(of: PeerID(rawValue: "A")) == nil)
        queue.add(question(2, of: "A"))
        #expect(queue.inquiry(of: PeerID(rawValue: "A"))?.id == 2)
        #expect(queue.remove(1)?.id == 1)
        #expect(!queue.hasPlainQuestion)
        #expect(queue.remove(1) == nil)
    }

    @Test func `changes a question wherever it stands`() {
        var queue = QuestionQueue(maximumWaiting: 1, maximumThinking: 1)
        for id in 1...2 { queue.add(question(id, of: "\(id)")) }
        _ = queue.next()
        for id in 1...3 { queue.update(id) { $0.isBeingAnswered = true } }
        #expect(queue.all.map(\.isBeingAnswered) == [true, true])
    }
}
