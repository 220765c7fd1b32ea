import BLE
import BLETesting

@testable import MagicEightBall

// What askers do, each for its own part.
extension AnsweringWorld {
    /// Something comes from the air.
    func tell(_ call: @escaping ScheduledPublication.Call) {
        radio.current?.tell(call)
    }

    func connect(_ asker: PeerID) {
        guard radio.current != nil else { return }
        schedule.note("\(asker) comes")
        tell { await $0.handle(.connected(asker)) }
    }

    func disconnect(_ asker: PeerID) {
        guard radio.current != nil else { return }
        schedule.note("\(asker) goes")
        tell {
            self.asking[asker] = nil
            await $0.handle(.disconnected(asker))
        }
    }

    func ask(_ asker: PeerID) {
        let question = "P\(newNumber())?"
        write(Array(question.utf8), to: EightBallService.question, question, asker) {}
    }

    /// - Returns: the question, and its tag.
    @discardableResult
    func askPrivately(_ asker: PeerID) -> (question: String, tag: QuestionTag) {
        let number = newNumber()
        let question = "I\(number)?"
        let tag = QuestionTag(UInt64(number))
        let value = PrivateQuestion(tag: tag, question: Array(question.utf8)).bytes
        write(value, to: EightBallService.privateQuestion, question, asker) {
            self.asking[asker, default: Asking()].tags[tag] = question
        }
        return (question, tag)
    }

    /// What a ball must refuse.
    func askPrivatelyBadly(_ asker: PeerID) {
        let tag = QuestionTag(UInt64(newNumber()))
        let texts = [[0xFF], [], Array("no question".utf8), Array(repeating: 65, count: 490)]
        guard let text = schedule.scheduler.element(of: texts) else { return }
        let request = GATTRequest(central: asker, mtuBytes: 517)
        tell { responder in
            do throws(ATTError) {
                let value = PrivateQuestion(tag: tag, question: text).bytes
                try await responder.write(
                    value,
                    to: EightBallService.privateQuestion,
                    request
                )
                self.schedule.fault("\(text) was accepted")
            } catch {
                self.schedule.note("\(asker) was refused: \(error)")
            }
        }
    }

    private func write(
        _ value: [UInt8],
        to attribute: AttributeID,
        _ question: String,
        _ asker: PeerID,
        accepted didAccept: @escaping @Sendable () -> Void
    ) {
        guard radio.current != nil else { return }
        schedule.note("\(asker) asks \(question)")
        let request = GATTRequest(central: asker, mtuBytes: 517)
        tell { responder in
            await self.schedule.scheduler.hop()
            do throws(ATTError) {
                try await responder.write(value, to: attribute, request)
                self.accepted.insert(question)
                didAccept()
            } catch {
                self.schedule.note("\(question) was refused: \(error)")
                self.refused.insert(question)
            }
        }
    }

    /// Reads Reply, in as many parts as the packets are long.
    func read(
        _ asker: PeerID,
        mtuBytes: Int,
        then take: @escaping @Sendable (Reply?) -> Void = { _ in }
    ) {
        tell { responder in
            var whole: [UInt8] = []
            repeat {
                await self.schedule.scheduler.hop()
                let request = GATTRequest(
                    central: asker,
                    mtuBytes: mtuBytes,
                    offset: whole.count
                )
                do throws(ATTError) {
                    let reply = EightBallService.reply
                    let value = try await responder.read(reply, request)
                    let part = value.dropFirst(whole.count).prefix(mtuBytes - 1)
                    whole += part
                    if part.count < mtuBytes - 1 { break }
                } catch {
                    return self.schedule.fault("\(asker) could not read: \(error)")
                }
            } while true
            self.judge(whole, readBy: asker)
            take(Reply(received: whole))
        }
    }

    func readAnswer(_ asker: PeerID) {
        let request = GATTRequest(central: asker, mtuBytes: 517)
        tell { responder in
            do throws(ATTError) {
                _ = try await responder.read(EightBallService.answer, request)
            } catch {
                self.schedule.fault("\(asker) could not read: \(error)")
            }
        }
    }

    /// What is read must be the reader's own.
    private func judge(_ value: [UInt8], readBy asker: PeerID) {
        guard !value.isEmpty else { return }
        guard case .outcome(let tag, let outcome) = Reply(received: value) else {
            return schedule.fault("\(asker) read \(value)")
        }
        // Who has come anew knows nothing of what it asked before.
        guard let known = asking[asker] else { return }
        guard let question = known.tags[tag] else {
            return schedule.fault("\(asker) read what came of another's private question \(tag)")
        }
        schedule.note("\(asker) read what came of \(question)")
        if case .answered(let text) = outcome, text != Array("A \(question)".utf8) {
            schedule.fault("\(question) was answered \(String(decoding: text, as: UTF8.self))")
        }
    }
}
