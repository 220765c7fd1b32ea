import BLE
import BLETesting

@testable import MagicEightBall

// What can happen around a ball.
extension AnsweringWorld {
    private enum Step: CaseIterable {
        case reply, refuse, answer, refuseLate, fail, ownAnswer, ownRefusal, reject
        case connect, disconnect, subscribe, unsubscribe, ask, askPrivately, askPrivatelyBadly,
            read, readPart
        case readAnswer, radioOn, radioOff, end, close, start, stop, cancel, time

        /// How often it happens, beside the others.
        var weight: Int {
            switch self {
            case .reply: 36
            case .askPrivately, .answer, .read: 14
            case .ask, .start, .time, .radioOn: 10
            case .connect, .disconnect, .readPart, .refuse: 5
            case .refuseLate, .fail, .subscribe, .unsubscribe, .readAnswer, .ownAnswer: 2
            case .ownRefusal, .reject, .askPrivatelyBadly, .radioOff, .end, .close, .stop, .cancel:
                1
            }
        }
    }

    private static let row = Step.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    /// Lets anything happen, at any time.
    func anythingGoes(steps: Int) {
        schedule.play(steps, of: Self.row, take)
    }

    private func take(_ step: Step) {
        let dice = schedule.scheduler
        let asker = dice.element(of: askers) ?? PeerID(rawValue: "A0")
        let request = dice.element(of: radio.requests.keys.sorted())
        let thought = dice.element(of: source.thoughts.keys.sorted())
        switch step {
        case .reply: if let request { radio.succeed(request) }
        case .refuse: if let request { radio.fail(request, dice.chance(50) ? .failed : .busy) }
        case .answer: if let thought { source.finish(thought) }
        case .refuseLate:
            if let thought { source.finish(thought, .failure(RejectionReason.refused)) }
        case .fail:
            if let thought { source.finish(thought, .failure(RadioError(.failed, "no idea"))) }
        case .ownAnswer: answerOneself()
        case .ownRefusal: refuseOneself()
        case .reject: reject()
        case .connect: connect(asker)
        case .disconnect: disconnect(asker)
        case .subscribe:
            tell { await $0.handle(.subscribed(EightBallService.reply, nil)) }
        case .unsubscribe:
            tell { await $0.handle(.unsubscribed(EightBallService.reply, nil)) }
        case .ask: ask(asker)
        case .askPrivately: askPrivately(asker)
        case .askPrivatelyBadly: askPrivatelyBadly(asker)
        case .read: read(asker, mtuBytes: 517)
        case .readPart: read(asker, mtuBytes: 23)
        case .readAnswer: readAnswer(asker)
        case .radioOn: if radio.power.current != .on, !radio.power.isClosed { radio.become(.on) }
        case .radioOff: if !radio.power.isClosed { radio.become(dice.chance(50) ? .off : .absent) }
        case .end: if let publication = radio.current { radio.end(publication, .noService) }
        case .close: if dice.chance(20), !radio.power.isClosed { radio.close() }
        case .start: start()
        case .stop: stop()
        case .cancel: cancel()
        case .time: if dice.isIdle { passTime() }
        }
    }

    private func answerOneself() {
        guard let (question, asker) = schedule.scheduler.element(of: observer.questions) else {
            return
        }
        call("answer \(question)", within: Self.timeouts.radio) {
            do {
                try await asker.sendAnswer(Answer(received: "A \(question)"), to: question)
            } catch {
                self.schedule.note("not answered: \(error)")
            }
        }
    }

    private func refuseOneself() {
        guard let (question, asker) = schedule.scheduler.element(of: observer.questions) else {
            return
        }
        call("refuse \(question)", within: .zero) {
            do {
                try await asker.refuse(question, because: .refused.saying("no"))
            } catch {
                self.schedule.note("not refused: \(error)")
            }
        }
    }

    private func reject() {
        guard let asker = schedule.scheduler.element(of: observer.questions)?.asker else { return }
        call(
            "reject \(asker.id)",
            within: Self.timeouts.closing + Self.timeouts.settling + Self.timeouts.radio
        ) {
            await asker.rejectConnection(because: .refused)
        }
    }

    private func cancel() {
        let live = calls.filter { $0.value.name != "stop" }.keys.sorted()
        guard let number = schedule.scheduler.element(of: live) else { return }
        schedule.note("cancel: \(calls[number]?.name ?? "")")
        tasks[number]?.cancel()
    }

    /// The clock moves to the next limit; what should have ended by then has.
    func passTime() {
        guard let next = schedule.sleepers.next else { return }
        for (name, deadline) in calls.values.sorted(by: { $0.name < $1.name }) {
            guard let deadline, deadline < next else { continue }
            schedule.fault("'\(name)' has not ended by \(deadline)")
        }
        schedule.note("the time moves to \(next)")
        schedule.sleepers.advance()
    }
}
