import BLE

@testable import MagicEightBall

/// What can happen to a question, in any order that a radio and a clock may choose, whatever the ball
/// says: it ends exactly once, and asks for one thing at a time.
@Sendable func decodeExchange(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    guard let question = try? Question("Will it rain?") else { return }
    let policy: BusyPolicy =
        source.byte() % 2 == 0 ? .giveUp : .retry(pause: .seconds(1))
    var scene = ExchangeScene(
        ExchangeTerms(
            question: question,
            tag: QuestionTag(0x0102_0304_0506_0708),
            ballName: "Ball",
            timeouts: Timeouts(),
            whenBusy: policy
        )
    )
    while !source.isEmpty { scene.step(&source) }
    scene.end()
}

private struct ExchangeScene {
    private var exchange: Exchange
    private let tag: QuestionTag
    /// What is under way.
    private var isConnecting = false
    private var isRequesting = false
    private var hasLink = false
    private var runs: Set<Exchange.Timer> = []
    private var finishCount = 0
    private var hasEnded = false

    init(_ terms: ExchangeTerms) {
        exchange = Exchange(terms)
        tag = terms.tag
        carryOut(exchange.begin())
    }

    mutating func step(_ source: inout ByteSource) {
        switch source.number(below: 12) {
        case 0 where isConnecting: carryOut(exchange.linked())
        case 1 where isConnecting:
            isConnecting = false
            hasLink = true
            let mtuBytes = source.element(of: [23, 24, 100, 517])
            let isPrivate = source.byte() % 2 == 1
            carryOut(exchange.connected(mtuBytes: mtuBytes, isPrivate: isPrivate))
        case 2 where isConnecting, 3 where isRequesting: fail(error(&source))
        case 4 where isRequesting, 5 where isRequesting:
            isRequesting = false
            carryOut(exchange.requestSucceeded(value(&source)))
        case 6, 7:
            let attribute = source.element(of: [EightBallService.answer, EightBallService.reply])
            carryOut(exchange.notified(value(&source), of: attribute))
        case 8 where hasLink: lose(error(&source))
        case 9: carryOut(exchange.abandon(EightBallError(.cancelled, "taken back")))
        case 10: expire(source.element(of: [.step, .answer]))
        case 11: carryOut(exchange.timedOut(.question))
        default: break
        }
    }

    /// All that is under way fails, and all times pass: then it has to be over.
    mutating func end() {
        for _ in 0..<32 where !hasEnded {
            carryOut(exchange.timedOut(.question))
            expire(.answer)
            expire(.step)
            if isConnecting || isRequesting { fail(CancellationError()) }
        }
        precondition(hasEnded, "a question never ends")
        precondition(finishCount == 1, "a question ends \(finishCount) times")
        precondition(exchange.isFinished)
    }

    private mutating func fail(_ error: any Error) {
        isConnecting = false
        isRequesting = false
        carryOut(exchange.requestFailed(error))
    }

    private mutating func lose(_ cause: any Error) {
        hasLink = false
        carryOut(exchange.lost(EightBallError(.deviceOffline, "lost", underlying: cause)))
    }

    private mutating func expire(_ timer: Exchange.Timer) {
        guard runs.remove(timer) != nil else { return }
        carryOut(exchange.timedOut(timer))
    }

    private func error(_ source: inout ByteSource) -> any Error {
        switch source.number(below: 4) {
        case 0: return RadioError(.peerGone, "gone")
        case 1: return RadioError(.servicesInvalidated, "taken back")
        case 2: return CancellationError()
        default: return ATTError(rawValue: source.byte())
        }
    }

    /// A value that the ball may have meant, or any.
    private func value(_ source: inout ByteSource) -> [UInt8] {
        let bytes = source.text()
        switch source.number(below: 4) {
        case 0: return Reply.ready(tag).bytes
        case 1: return [2] + tag.bytes + bytes
        case 2: return [source.byte()] + tag.bytes + bytes
        default: return bytes
        }
    }

    private mutating func carryOut(_ actions: [Exchange.Action]) {
        var isCancelled = false
        for action in actions {
            precondition(!hasEnded, "\(action) after the end")
            switch action {
            case .connect, .reconnect:
                precondition(!isConnecting && !isRequesting, "two requests at once")
                isConnecting = true
                hasLink = false
            case .subscribe, .write, .read, .unsubscribe:
                precondition(!isConnecting && !isRequesting, "two requests at once")
                isRequesting = true
            case .startTimer(let timer, let limit):
                precondition(limit > .zero)
                runs.insert(timer)
            case .startPause: runs.insert(.step)
            case .disconnect: hasLink = false
            case .finish: finishCount += 1
            case .end:
                precondition(finishCount == 1, "an end without a result")
                precondition(
                    isCancelled || !isRequesting && !isConnecting,
                    "an end during a request"
                )
                hasEnded = true
            case .cancelRequest: isCancelled = true
            case .reportAccepted: break
            }
        }
    }
}
