import BLE
import Testing

@testable import MagicEightBall

@Suite("The queue of questions")
struct QuestionQueueTests {
    private let ball = EightBallPeripheral(radio: ScriptedPeripheralRadio(), name: "Ball")
    private let end = AcceptedQuestion.Event.ended(EightBallError(.deviceOffline, "gone"))

    private func question(_ id: Int, of peer: String, isPlain: Bool = false) -> AcceptedQuestion {
        AcceptedQuestion(
            id: id,
            question: Question(received: "\(id)?"),
            asker: ConnectedAsker(id: PeerID(rawValue: peer), ball: ball),
            pair: isPlain ? .plain : .private(QuestionTag(UInt64(id))),
            mtuBytes: 23
        )
    }

    /// Whose turn it is, until enough are thought about.
    private func turns(_ queue: inout QuestionQueue) -> [Int] {
        var turns: [Int] = []
        while let id = queue.next {
            turns.append(id)
            _ = queue.take(.turn, of: id)
        }
        return turns
    }

    @Test func `gives turns in the order of arrival`() {
        var queue = QuestionQueue(maximumWaiting: 4, maximumThinking: 2)
        for id in 1...4 { queue.add(question(id, of: "\(id)")) }
        #expect(turns(&queue) == [1, 2])
        #expect((1...4).map { queue.place(of: $0) } == [nil, nil, 1, 2])
        _ = queue.take(end, of: 1)
        #expect(turns(&queue) == [3])
        #expect(queue.open.map(\.id) == [2, 3, 4])
    }

    @Test(arguments: [(0, 1), (0, 3), (2, 1), (16, 4)])
    func `takes as many as may wait and be thought about`(waiting: Int, atOnce: Int) {
        var queue = QuestionQueue(maximumWaiting: waiting, maximumThinking: atOnce)
        for id in 0..<(waiting + atOnce) {
            #expect(queue.hasRoom)
            queue.add(question(id, of: "\(id)"))
            _ = turns(&queue)
        }
        #expect(!queue.hasRoom)
        _ = queue.take(end, of: 0)
        #expect(turns(&queue) == (waiting > 0 ? [atOnce] : []))
        #expect(queue.hasRoom)
    }

    @Test(arguments: [(16, 1, 8), (64, 4, 8), (4, 1, 2), (2, 1, 1), (0, 1, 1)])
    func `has room for many questions of one asker, half of the places at most`(
        waiting: Int,
        atOnce: Int,
        count: Int
    ) {
        var queue = QuestionQueue(maximumWaiting: waiting, maximumThinking: atOnce)
        let peer = PeerID(rawValue: "A")
        queue.add(question(0, of: "A", isPlain: true))
        for id in 1...count {
            #expect(!queue.isFull(for: peer))
            queue.add(question(id, of: "A"))
        }
        #expect(queue.isFull(for: peer))
        #expect(!queue.isFull(for: PeerID(rawValue: "B")))
    }

    @Test func `lets the oldest question that nobody has answered give way`() {
        var queue = QuestionQueue(maximumWaiting: 4, maximumThinking: 2)
        let peer = PeerID(rawValue: "A")
        #expect(queue.oldestPrivateQuestion(of: peer) == nil)
        queue.add(question(1, of: "A", isPlain: true))
        #expect(queue.oldestPrivateQuestion(of: peer) == nil)
        for id in 2...3 { queue.add(question(id, of: "A")) }
        #expect(queue.oldestPrivateQuestion(of: peer)?.id == 2)
        _ = queue.take(.answered(Answer(.yes)), of: 2)
        #expect(queue.oldestPrivateQuestion(of: peer)?.id == 3)
        _ = queue.take(.answered(Answer(.yes)), of: 3)
        #expect(queue.oldestPrivateQuestion(of: peer)?.id == 2)
    }

    @Test func `knows whether the plain pair is in use`() {
        var queue = QuestionQueue(maximumWaiting: 4, maximumThinking: 1)
        queue.add(question(1, of: "A", isPlain: true))
        queue.add(question(2, of: "A"))
        #expect(queue.hasPlainQuestion)
        _ = queue.take(end, of: 1)
        #expect(!queue.hasPlainQuestion)
    }

    @Test func `knows a question until nothing more comes of it`() {
        var queue = QuestionQueue(maximumWaiting: 4, maximumThinking: 1)
        queue.add(question(1, of: "A"))
        for event in [.turn, .answered(Answer(.yes)), .sent] as [AcceptedQuestion.Event] {
            #expect(!queue.take(event, of: 1).isEmpty)
        }
        #expect(queue.open.isEmpty)
        #expect(queue[1]?.reply.isEmpty == false)
        #expect(!queue.take(.read, of: 1).isEmpty)
        #expect(!queue.take(end, of: 1).isEmpty)
        #expect(queue[1] == nil)
        #expect(queue.take(end, of: 1).isEmpty)
    }
}
