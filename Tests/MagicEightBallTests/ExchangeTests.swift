import BLE
import Testing

@testable import MagicEightBall

@Suite
struct ExchangeTests {
    private static let courses =
        Course.orders + Course.failures + Course.limits + Course.privateOrders
        + Course.privateFailures + Course.privateLimits + Course.busy

    @Test("Each event causes its actions", arguments: courses)
    func course(course: Course) throws {
        var exchange = try Exchange(of: course)
        for (index, entry) in course.steps.enumerated() {
            let actions = exchange.take(entry.step).map(\.name)
            #expect(actions == entry.actions, "step \(index)")
        }
    }

    @Test("A question is told to be finished exactly once", arguments: courses)
    func finishedOnce(course: Course) throws {
        var exchange = try Exchange(of: course)
        var finishes = 0
        for entry in course.steps {
            for case .finish in exchange.take(entry.step) { finishes += 1 }
        }
        #expect(exchange.isFinished == (finishes == 1))
        #expect(finishes <= 1)
    }

    @Test("The private pair takes any question that can be made, whatever the packets' size")
    func longQuestion() throws {
        let text = String(repeating: "x", count: Question.maximumByteCount - 1) + "?"
        var exchange = try Exchange(text)
        _ = exchange.begin()
        _ = exchange.connected(mtuBytes: 23, isPrivate: true)
        #expect(exchange.requestSucceeded().map(\.name).last == "ask privately \(text)")
    }

    @Test("The message says which step used up the time")
    func messages() throws {
        var exchange = try Exchange("Well?")
        _ = exchange.begin()
        _ = exchange.linked()
        guard case .finish(.failure(let error)) = exchange.timedOut(.step).first else {
            Issue.record("it goes on")
            return
        }
        #expect(error.message == "reading the services of 'Ball' took longer than 8 s")
    }
}

extension Exchange {
    fileprivate init(_ text: String, whenBusy: BusyPolicy = .giveUp) throws {
        self.init(
            ExchangeTerms(
                question: try Question(text),
                tag: Course.tag,
                ballName: "Ball",
                timeouts: AskingScene.timeouts,
                whenBusy: whenBusy
            )
        )
    }

    fileprivate init(of course: Course) throws {
        try self.init("Well?", whenBusy: course.whenBusy)
    }

    fileprivate mutating func take(_ step: Step) -> [Action] {
        switch step {
        case .begin: begin()
        case .linked: linked()
        case .connected(let mtu): connected(mtuBytes: mtu, isPrivate: false)
        case .connectedPrivately: connected(mtuBytes: 23, isPrivate: true)
        case .succeeded: requestSucceeded()
        case .read(let value): requestSucceeded(value)
        case .failed(let error): requestFailed(error)
        case .notified(let value, let attribute): notified(value, of: attribute)
        case .lost: lost(EightBallError(.deviceOffline, "lost"))
        case .linkEnded:
            lost(
                EightBallError(.deviceOffline, "ended", underlying: RadioError(.peerGone, "ended"))
            )
        case .abandoned: abandon(EightBallError(.cancelled, "taken back"))
        case .timedOut(let timer): timedOut(timer)
        }
    }
}

extension Exchange.Action {
    fileprivate var name: String {
        switch self {
        case .connect: "connect"
        case .reconnect: "reconnect"
        case .subscribe(EightBallService.reply): "subscribe to replies"
        case .subscribe: "subscribe"
        case .write(let value, EightBallService.privateQuestion): Self.privateQuestion(value)
        case .write(let value, _): "write " + String(decoding: value, as: UTF8.self)
        case .read(let attribute):
            attribute == EightBallService.reply ? "read" : "read \(attribute)"
        case .unsubscribe: "unsubscribe"
        case .cancelRequest: "cancelRequest"
        case .disconnect: "disconnect"
        case .startTimer(.step, let limit): "step \(limit.components.seconds)"
        case .startTimer(_, let limit): "timer \(limit.components.seconds)"
        case .startPause(let pause): "pause \(pause.components.seconds)"
        case .reportAccepted: "accepted"
        case .finish(.success(let answer)): answer.text
        case .finish(.failure(let error)):
            "\(error.code)" + error.detail
                + (error.code.rejectionReason?.text.map { " " + $0 } ?? "")
        case .end: "end"
        }
    }

    private static func privateQuestion(_ value: [UInt8]) -> String {
        guard let privateQuestion = PrivateQuestion(received: value),
            privateQuestion.tag == Course.tag
        else {
            return "ask privately \(value)"
        }
        return "ask privately " + String(decoding: privateQuestion.question, as: UTF8.self)
    }
}
