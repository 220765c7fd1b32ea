import Testing

@testable import MagicEightBall

@Suite
struct ExchangeTests {
    @Test(
        "Each event causes its actions",
        arguments: Course.orders + Course.failures + Course.limits
    )
    func course(course: Course) throws {
        var exchange = Exchange(
            try Question("Well?"),
            ballName: "Ball",
            timeouts: AskingScene.timeouts
        )
        for (index, entry) in course.steps.enumerated() {
            let actions = exchange.take(entry.step).map(\.name)
            #expect(actions == entry.actions, "step \(index)")
        }
    }

    @Test(
        "A question is told to be finished exactly once",
        arguments: Course.orders + Course.failures + Course.limits
    )
    func finishedOnce(course: Course) throws {
        var exchange = Exchange(
            try Question("Well?"),
            ballName: "Ball",
            timeouts: AskingScene.timeouts
        )
        var finishes = 0
        for entry in course.steps {
            for case .finish in exchange.take(entry.step) { finishes += 1 }
        }
        #expect(exchange.isFinished == (finishes == 1))
        #expect(finishes <= 1)
    }
}

extension Exchange {
    fileprivate mutating func take(_ step: Step) -> [Action] {
        switch step {
        case .begin: begin()
        case .connected(let mtu): connected(mtuBytes: mtu)
        case .succeeded: requestSucceeded()
        case .failed(let error): requestFailed(error)
        case .notified(let value): notified(value)
        case .lost: lost(EightBallError(.deviceOffline, "lost"))
        case .abandoned: abandon(EightBallError(.cancelled, "taken back"))
        case .timedOut: timedOut()
        }
    }
}

extension Exchange.Action {
    fileprivate var name: String {
        switch self {
        case .connect: "connect"
        case .reconnect: "reconnect"
        case .subscribe: "subscribe"
        case .write(let value): "write " + String(decoding: value, as: UTF8.self)
        case .unsubscribe: "unsubscribe"
        case .cancelRequest: "cancelRequest"
        case .disconnect: "disconnect"
        case .startTimer(let limit): "timer \(limit.components.seconds)"
        case .tellAccepted: "accepted"
        case .finish(.success(let answer)): answer.text
        case .finish(.failure(let error)): "\(error.code)" + error.detail
        case .end: "end"
        }
    }
}
