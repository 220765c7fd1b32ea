import BLE
import BLETesting

@testable import MagicEightBall

// How a schedule begins and ends, and what must be true then.
extension AskingWorld {
    /// The central has started, and all balls are heard.
    func beginWell() {
        grantUntilQuiet()
        for ball in balls { sightPlainly(ball) }
        schedule.settle()
    }

    /// Each request is granted, each question answered, until nothing is asked any more; then each
    /// ball that is heard answers one question more.
    func allGoesWell() {
        schedule.note("from here on all goes well")
        observer.act = nil
        if radio.power.current != .on { radio.become(.on) }
        grantUntilQuiet()
        // Of a start and a stop at once either may have been first.
        let central = central
        call("look", within: .zero) {
            self.isStarted = await central?.session.isStopped == false
            self.isScanning = await central?.session.isScanning == true
        }
        grantUntilQuiet()
        if !isStarted || !isScanning {
            stop()
            grantUntilQuiet()
            start()
            grantUntilQuiet()
        }
        // Until it scans again: a failed scan is begun anew after a while.
        var patience = 20
        while radio.scans.isEmpty, patience > 0 {
            passTime()
            grantUntilQuiet()
            patience -= 1
        }
        call("window", within: .zero) { await central?.setRSSIWindow(RSSI(-60)...RSSI(-20)) }
        // Those that are held leave no room for the others.
        for ball in observer.devices.values.sorted(by: { "\($0.id)" < "\($1.id)" }) {
            disconnect(ball)
        }
        grantUntilQuiet()
        for ball in balls {
            sightPlainly(ball)
            schedule.settle()
            guard let device = observer.devices[ball], observer.order.isKnown(ball) else {
                schedule.fault("\(ball) was heard, and is not known")
                continue
            }
            ask(device)
            grantUntilQuiet()
            guard let question = questions.last?.asked else { continue }
            switch results[question] {
            case .success: break
            case .failure(let error): schedule.fault("the last question to \(ball): \(error)")
            case nil: schedule.fault("the last question to \(ball) has not ended")
            }
        }
        if observer.order.stopCount == 0 {
            call("look", within: .zero) {
                let devices = await central?.devices.map(\.id) ?? []
                if Set(devices) != Set(self.balls.filter(self.observer.order.isKnown)) {
                    self.schedule.fault("it knows \(devices), and has told otherwise")
                }
            }
            schedule.settle()
        }
        if let state = observer.order.radio, state != .on {
            schedule.fault("the radio is on, but was told to be \(state)")
        }
        let subscribed = radio.links.filter {
            $0.isUp && !$0.isGivenUp && $0.subscribed.contains(EightBallService.answer)
        }
        if !subscribed.isEmpty { schedule.fault("\(subscribed) are told plain answers still") }
    }

    /// Grants what is asked for, lets links end and time pass until all calls have ended.
    private func grantUntilQuiet() {
        var patience = 3_000
        while patience > 0 {
            patience -= 1
            schedule.settle()
            if let request = radio.requests.values.min(by: { $0.number < $1.number }) {
                radio.succeed(request)
            } else if radio.links.contains(where: { $0.isUp && $0.isGivenUp }) {
                endLink()
            } else if radio.links.contains(where: { $0.isUp && !$0.accepted.isEmpty }) {
                answerPlainly()
            } else if calls.isEmpty, areQuestionsOver {
                return
            } else if schedule.sleepers.next != nil {
                passTime()
            } else {
                return schedule.fault("nothing can happen, and these wait: \(calls.values)")
            }
        }
        schedule.fault("it does not come to an end: \(calls.values)")
    }

    private var areQuestionsOver: Bool {
        questions.allSatisfy {
            observer.ends[$0.asked] != nil || results[$0.asked] != nil
                || isAskingAny.contains($0.asked.text)
        }
    }

    /// Stops, and looks whether anything is left.
    func endAll() {
        schedule.note("the end")
        stop()
        var patience = 1_000
        repeat {
            schedule.settle()
            patience -= 1
            for request in radio.requests.values.sorted(by: { $0.number < $1.number }) {
                guard case .disconnect = request.kind else { continue }
                radio.succeed(request)
            }
        } while patience > 0 && !schedule.scheduler.isIdle
        // What was being begun when it was stopped may take its time still.
        for call in calls.values.sorted(by: { $0.name < $1.name })
        where call.name != "start" && call.name != "discover" {
            schedule.fault("'\(call.name)' has not ended after the stop")
        }
        while !calls.isEmpty, schedule.sleepers.next != nil {
            passTime()
            schedule.settle()
        }
        stop()
        schedule.settle()
        checkNothingIsLeft()
        checkEnds()
        checkEvents()
        central = nil
        for observer in [observer] + late { observer.forgetDevices() }
        schedule.settle()
        if weakCentral != nil { schedule.fault("something holds the central still") }
    }

    private func checkNothingIsLeft() {
        schedule.expectNone(
            [
                "calls": calls.count, "timers": schedule.sleepers.count,
                "requests": radio.requests.count, "scans": radio.scans.count,
                "watchers of the radio": radio.power.watcherCount,
                "links": radio.links.count { $0.isUp && !$0.isGivenUp },
            ],
            ["requests": "\(radio.requests.values.map(\.name))"]
        )
    }

    private static func contains(_ whole: [String], _ part: [String]) -> Bool {
        part.count <= whole.count
            && (0...whole.count - part.count).contains { whole[$0...].starts(with: part) }
    }

    /// Who asked and who observed were told the same, once.
    private func checkEnds() {
        for (asked, _) in questions {
            let text = asked.text
            let end = observer.ends[asked]
            if !hasWaitedInCallback, let told = resultTimes[asked],
                let heard = observer.endTimes[asked], told != heard
            {
                schedule.fault("\(asked) ended at \(told), and was heard to at \(heard)")
            }
            switch (results[asked], end) {
            case (nil, nil):
                // One that was never begun: the answer of another ball came first.
                if isAskingAny.contains(text) { break }
                schedule.fault("nobody heard what came of \(text)")
            case (.success(let answer), let end):
                if end != .some(nil) { schedule.fault("\(text): answered; heard \(end as Any)") }
                let isPrivate = radio.privateBalls.contains(asked.ball)
                if isPrivate, answer.text != "A \(text)" {
                    schedule.fault("\(asked) was answered '\(answer)'")
                }
            case (.failure(let error as EightBallError), let end):
                if end != .some(error.code) {
                    schedule.fault("\(text): \(error.code); heard \(end as Any)")
                }
            case (.failure(is CancellationError), _), (nil, _):
                break
            case (.failure(let error), _):
                schedule.fault("\(text) ended with \(error)")
            }
        }
        for late in late where !Self.contains(observer.heard, late.heard) {
            schedule.fault("who came late heard otherwise: \(late.heard)")
        }
    }
}
