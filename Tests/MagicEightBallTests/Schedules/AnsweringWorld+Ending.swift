import BLE
import BLETesting

@testable import MagicEightBall

// How a schedule begins and ends, and what must be true then.
extension AnsweringWorld {
    /// Each request is granted, each question thought about, until all calls have ended.
    func settleWell() {
        var patience = 3_000
        while patience > 0 {
            patience -= 1
            schedule.settle()
            if let request = radio.requests.keys.min() {
                radio.succeed(request)
            } else if let thought = source.thoughts.keys.min() {
                source.finish(thought)
            } else if calls.isEmpty {
                return
            } else if schedule.sleepers.next != nil {
                passTime()
            } else {
                return schedule.fault("nothing can happen, and these wait: \(calls.values)")
            }
        }
        schedule.fault("it does not come to an end: \(calls.values)")
    }

    /// All goes well, until no time is measured any more; then each asker asks, and reads its answer.
    func allGoesWell() {
        schedule.note("from here on all goes well")
        observer.act = nil
        if radio.power.current != .on { radio.become(.on) }
        settleWell()
        let ball = ball
        call("start again", within: nil) {
            do {
                try await ball?.start()
            } catch {
                self.schedule.fault("it could not start again: \(error)")
            }
        }
        var patience = 500
        settleWell()
        while patience > 0, schedule.sleepers.next != nil {
            passTime()
            settleWell()
            patience -= 1
        }
        if schedule.sleepers.count > 0 { schedule.fault("an idle ball measures time") }
        guard observer.order.isShown, radio.current != nil else {
            return schedule.fault("the ball is not shown")
        }
        if let state = observer.order.radio, state != .on {
            schedule.fault("the radio is on, but was told to be \(state)")
        }
        if !observer.order.open().isEmpty {
            schedule.fault("\(observer.order.open()) have not ended")
        }
        for asker in askers { askAsPrograms(of: asker) }
    }

    /// A ball without a source is answered for by its owner.
    func answerManually(_ text: String) {
        guard let (question, asker) = observer.questions.last(where: { $0.question.text == text })
        else { return schedule.fault("nobody heard of \(text)") }
        call("answer \(question)", within: Self.timeouts.radio) {
            do {
                try await asker.sendAnswer(Answer(received: "A \(question)"), to: question)
            } catch {
                // The source was faster.
            }
        }
    }

    /// Stops, and looks whether anything is left.
    func endAll() {
        schedule.note("the end")
        stop()
        var patience = 200
        repeat {
            schedule.settle()
            for (number, kind) in radio.requests.sorted(by: { $0.key < $1.key }) {
                if case .withdraw = kind { radio.succeed(number) }
            }
            schedule.settle()
            if schedule.scheduler.isIdle, !calls.isEmpty { passTime() }
            patience -= 1
        } while patience > 0 && !(calls.isEmpty && schedule.scheduler.isIdle)
        stop()
        schedule.settle()
        checkNothingIsLeft()
        checkQuestions()
        ball = nil
        observer.forgetDevices()
        schedule.settle()
        if weakBall != nil { schedule.fault("something holds the ball still") }
    }

    private func checkNothingIsLeft() {
        schedule.expectNone(
            [
                "calls": calls.count, "timers": schedule.sleepers.count,
                "requests": radio.requests.count, "thoughts": source.thoughts.count,
                "watchers of the radio": radio.power.watcherCount,
                "publications": radio.publications.count { $0.isUp },
                "askers": observer.order.askers.count,
            ],
            ["calls": "\(calls.values)"]
        )
        if observer.order.isShown { schedule.fault("nobody was told that it is not shown") }
    }

    private func checkQuestions() {
        for question in observer.order.open() { schedule.fault("\(question) has not ended") }
        for question in accepted.sorted() where !observer.order.isKnown(question) {
            schedule.fault("\(question) was accepted, and not told")
        }
        for question in refused.sorted() where observer.order.isKnown(question) {
            schedule.fault("\(question) was refused, and told as accepted")
        }
    }
}
