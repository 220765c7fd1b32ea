import BLE
import BLETesting

@testable import MagicEightBall

/// A program on an asker's host, which has asked one private question.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledProgram: @unchecked Sendable {
    let question: String
    let tag: QuestionTag
    /// It reads once for each notification, as programs of before.
    let readsOnce: Bool
    var hasReply = false

    init(_ asked: (question: String, tag: QuestionTag), readsOnce: Bool) {
        question = asked.question
        tag = asked.tag
        self.readsOnce = readsOnce
    }
}

// Programs of one host share a device, and each must have its own reply.
extension AnsweringWorld {
    /// Programs of one asker ask at once; each is answered, and reads its reply.
    func askAsPrograms(of asker: PeerID) {
        disconnect(asker)
        connect(asker)
        settleWell()
        radio.notified = []
        let dice = schedule.scheduler
        // One more may ask and never read.
        let abandoned = programCount > 1 && dice.chance(50) ? askPrivately(asker).question : nil
        let count = dice.number(in: 1...programCount - (abandoned == nil ? 0 : 1))
        let programs = (0..<count).map { _ in
            ScheduledProgram(askPrivately(asker), readsOnce: count == 1 && dice.chance(50))
        }
        settleWell()
        for question in programs.map(\.question) + (abandoned.map { [$0] } ?? []) {
            answerManually(question)
        }
        settleWell()
        var patience = 100
        while patience > 0, !radio.notified.isEmpty {
            // The system gives reads of several programs at once one value.
            let count = dice.number(in: 1...radio.notified.count)
            let tags = radio.notified.prefix(count)
            radio.notified.removeFirst(count)
            let readers = programs.filter { tags.contains($0.tag) && !$0.hasReply }
            if !readers.isEmpty { read(asker, for: readers, among: programs) }
            patience -= 1
        }
        for program in programs {
            let question = program.question
            if !accepted.contains(question) { schedule.fault("\(question) was refused") }
            if !program.hasReply { schedule.fault("\(question) has no reply") }
            if !observer.order.isDelivered(question) {
                schedule.fault("\(question) was not delivered")
            }
        }
    }

    /// One read for several programs; each program sees it, and those that read on do so.
    private func read(
        _ asker: PeerID,
        for readers: [ScheduledProgram],
        among programs: [ScheduledProgram]
    ) {
        var patience = PrivateRound.maximumReadCount
        repeat {
            read(asker, mtuBytes: 23) { reply in
                for program in programs where program.tag == reply?.tag {
                    // A program of before takes a value only from a read of its own.
                    let isReader = readers.contains { $0 === program }
                    if isReader || !program.readsOnce { program.hasReply = true }
                }
            }
            settleWell()
            patience -= 1
        } while patience > 0 && readers.contains { !$0.readsOnce && !$0.hasReply }
    }
}
