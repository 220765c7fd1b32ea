import BLE
import BLETesting

@testable import MagicEightBall

// What can happen around a central.
extension AskingWorld {
    private enum Step: CaseIterable {
        case reply, refuse, answer, falseAnswer, otherProgram, drop, endLink, invalidate
        case connect, disconnect
        case sight, forget, ask, send, askAny, discover, cancel, reject
        case radioOn, radioOff, close, start, stop, stopScanning, window, join, leave, time

        /// How often it happens, beside the others.
        var weight: Int {
            switch self {
            case .reply: 40
            case .answer: 20
            case .ask, .sight, .time: 14
            case .endLink, .refuse: 8
            case .start, .radioOn: 10
            case .send, .drop, .falseAnswer, .otherProgram, .cancel: 4
            case .askAny, .discover, .invalidate, .forget, .join, .connect, .disconnect: 2
            case .reject, .radioOff, .stop, .stopScanning, .window, .leave, .close: 1
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
        switch step {
        case .reply: if let request = anyRequest { radio.succeed(request) }
        case .refuse: if let request = anyRequest { refuse(request) }
        case .answer: answer()
        case .falseAnswer: answerFalsely()
        case .otherProgram: if let link = anyLink { actAsOtherProgram(link) }
        case .drop: if let link = anyLink { drop(link) }
        case .endLink: endLink()
        case .invalidate: invalidate()
        case .sight: if let ball = dice.element(of: balls) { sight(ball, loud: dice.chance(80)) }
        case .forget: if let ball = dice.element(of: balls) { radio.report(.lost(ball)) }
        case .ask: if let ball = anyDevice { ask(ball) }
        case .connect: if let ball = anyDevice { connect(ball) }
        case .disconnect: if let ball = anyDevice { disconnect(ball) }
        case .send: if let ball = anyDevice { sendQuestion(ball) }
        case .askAny: askAny()
        case .discover: discover()
        case .cancel: cancel()
        case .reject: reject()
        case .radioOn: if radio.power.current != .on, !radio.power.isClosed { radio.become(.on) }
        case .radioOff: if !radio.power.isClosed { radio.become(dice.chance(50) ? .off : .absent) }
        case .close: if dice.chance(20), !radio.power.isClosed { close() }
        case .start: if !isStarted { start() }
        case .stop: stop()
        case .stopScanning: stopScanning()
        case .window: setWindow()
        case .join: if late.count < 3 { join() }
        case .leave: leave()
        case .time: if dice.isIdle { passTime() }
        }
    }

    private var anyRequest: ScheduledRequest? {
        schedule.scheduler.element(of: radio.requests.values.sorted { $0.number < $1.number })
    }

    private var anyLink: ScheduledLink? {
        schedule.scheduler.element(of: radio.links.filter(\.isUp))
    }

    private var anyDevice: (any BallDevice)? {
        schedule.scheduler.element(of: balls).flatMap { observer.devices[$0] }
    }

    private func refuse(_ request: ScheduledRequest) {
        let dice = schedule.scheduler
        let codes: [RadioError.Code]
        switch request.kind {
        case .disconnect: return radio.succeed(request)
        case .scan: codes = [.noService, .failed, .busy, .notPermitted]
        case .connect, .resolve: codes = [.connectionFailed, .unknownPeer, .busy, .failed]
        case .subscribe, .unsubscribe: codes = [.missingAttribute, .failed, .peerGone]
        case .read: codes = [.failed, .peerGone]
        case .write:
            let refusals: [ATTError] = [
                ATTError(rawValue: 0x90), ATTError(rawValue: 0x90), .unlikelyError,
                ATTError(rawValue: 0x96),
            ]
            if dice.chance(80), let refusal = dice.element(of: refusals) {
                return radio.fail(request, refusal)
            }
            codes = [.failed, .peerGone]
        }
        radio.fail(request, RadioError(dice.element(of: codes) ?? .failed, "as the seed wants"))
    }

    /// A ball answers the last question that it has accepted, or one of before once more.
    func answer() {
        let dice = schedule.scheduler
        let open = radio.links.filter { $0.isUp && !$0.accepted.isEmpty }
        guard let link = dice.element(of: open), let last = link.accepted.last else { return }
        // Some balls answer twice.
        if dice.chance(85) { link.accepted.removeLast() }
        guard let tag = last.tag else {
            schedule.note("\(link) answers \(last.text)")
            return say(EightBallService.answer, Array("A \(last.text)".utf8), over: link)
        }
        answer(last.text, tag, over: link, isRefused: dice.chance(15))
    }

    private func answer(
        _ question: String,
        _ tag: QuestionTag,
        over link: ScheduledLink,
        isRefused: Bool
    ) {
        schedule.note("\(link) \(isRefused ? "refuses" : "answers") \(question), to be read")
        let text = Array("A \(question)".utf8)
        let outcome: Reply.Outcome = isRefused ? .rejected(.refused) : .answered(text)
        link.keep(Reply.outcome(tag, outcome).bytes, at: schedule.scheduler.number(in: 0...2))
        say(EightBallService.reply, Reply.ready(tag).bytes, over: link)
    }

    /// A ball answers all that it has accepted.
    func answerPlainly() {
        guard let link = radio.links.first(where: { $0.isUp && !$0.accepted.isEmpty }) else {
            return
        }
        let next = link.accepted.removeFirst()
        if let tag = next.tag {
            answer(next.text, tag, over: link, isRefused: false)
        } else {
            say(EightBallService.answer, Array("A \(next.text)".utf8), over: link)
        }
    }

    /// Something is told that is another asker's, or no answer at all.
    private func answerFalsely() {
        guard let link = anyLink else { return }
        let dice = schedule.scheduler
        let values: [[UInt8]] = [
            [], [0xFF], Array("another's".utf8), Reply.ready(QuestionTag(7)).bytes,
            Reply.outcome(QuestionTag(7), .answered([65])).bytes,
        ]
        let attributes = [EightBallService.answer, EightBallService.reply]
        guard let value = dice.element(of: values), let attribute = dice.element(of: attributes)
        else { return }
        say(attribute, value, over: link)
    }

    private func say(_ attribute: AttributeID, _ value: [UInt8], over link: ScheduledLink) {
        guard link.isUp, link.subscribed.contains(attribute) else { return }
        link.continuation.yield(.notification(attribute, value))
    }

    /// Another program on this host is answered, or reads: the system shows what to both.
    private func actAsOtherProgram(_ link: ScheduledLink) {
        guard radio.privateBalls.contains(link.peer) else { return }
        let dice = schedule.scheduler
        if dice.chance(50) {
            schedule.note("\(link) answers another program")
            let tag = QuestionTag(UInt64(dice.number(in: 1...1000)))
            let reply = Reply.outcome(tag, .answered(Array("another's".utf8)))
            link.keep(reply.bytes, at: dice.number(in: 0...2))
        } else {
            schedule.note("another program reads over \(link)")
            say(EightBallService.reply, link.nextReply(), over: link)
        }
    }

    private func drop(_ link: ScheduledLink) {
        radio.drop(link.peer, RadioError(.peerGone, "the ball has gone"))
    }

    /// A link that the SDK has given up ends.
    func endLink() {
        let given = radio.links.filter { $0.isUp && $0.isGivenUp }
        if let link = schedule.scheduler.element(of: given) { drop(link) }
    }

    private func invalidate() {
        guard let link = anyLink else { return }
        schedule.note("\(link) takes its service back")
        link.continuation.yield(.servicesInvalidated([EightBallService.uuid]))
    }

    func sight(_ ball: PeerID, loud: Bool) {
        let dice = schedule.scheduler
        let rssi = loud ? dice.number(in: -58 ... -30) : dice.number(in: -95 ... -61)
        schedule.note("\(ball) is heard at \(rssi)")
        radio.report(
            .seen(
                Sighting(
                    peer: ball,
                    name: dice.chance(95) ? "\(ball)" : "",
                    rssi: dice.chance(95) ? RSSI(rssi) : nil,
                    serviceUUIDs: [EightBallService.uuid]
                )
            )
        )
    }

    /// As loud as is wanted, with its name.
    func sightPlainly(_ ball: PeerID) {
        let service = [EightBallService.uuid]
        let sighting = Sighting(peer: ball, name: "\(ball)", rssi: RSSI(-40), serviceUUIDs: service)
        radio.report(.seen(sighting))
    }

    private func cancel() {
        let live = calls.filter { $0.value.name != "stop" }
        guard let number = schedule.scheduler.element(of: live.keys.sorted()) else { return }
        schedule.note("cancel: \(calls[number]?.name ?? "")")
        calls[number]?.task?.cancel()
    }

    private func reject() {
        guard let ball = anyDevice else { return }
        call("reject \(ball.id)", within: nil) { await ball.rejectConnection(because: .refused) }
    }

    private func close() {
        isStarted = false
        observer.stopped()
        radio.close()
    }

    private func stopScanning() {
        guard let central else { return }
        isScanning = false
        call("stop scanning", within: .zero) { await central.stopScanning() }
    }

    private func setWindow() {
        guard let central else { return }
        let low = RSSI(schedule.scheduler.number(in: -90 ... -50))
        call("window", within: .zero) { await central.setRSSIWindow(low...RSSI(-20)) }
    }

    /// One more hears from here on; what it missed it does not know.
    private func join() {
        guard let central else { return }
        let observer = CheckedCentralObserver(schedule, isLate: true)
        late.append(observer)
        call("join", within: .zero) {
            await central.addObserver(observer)
            observer.hasJoined = true
        }
    }

    private func leave() {
        guard let central, let observer = late.last(where: { $0.hasJoined && !$0.hasLeft }) else {
            return
        }
        call("leave", within: .zero) {
            await central.removeObserver(observer)
            observer.hasLeft = true
        }
    }

    /// The clock moves to the next limit; what should have ended by then has.
    func passTime() {
        guard let next = schedule.sleepers.next else { return }
        for call in calls.values.sorted(by: { $0.name < $1.name }) {
            guard let deadline = call.deadline, deadline < next else { continue }
            schedule.fault("'\(call.name)' has not ended by \(deadline)")
        }
        for (asked, begun) in questions where begun + Self.timeouts.question < next {
            guard results[asked] == nil, observer.ends[asked] == nil, !hasWaitedInCallback
            else { continue }
            guard !isAskingAny.contains(asked.text) else { continue }
            schedule.fault("nothing was heard of \(asked) by \(begun + Self.timeouts.question)")
        }
        schedule.note("the time moves to \(next)")
        schedule.sleepers.advance()
    }
}
