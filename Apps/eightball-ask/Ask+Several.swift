import BLE
import MagicEightBall
import RadioCLI

// Several balls at once.
extension Ask {
    /// Asks every ball that was discovered in time, and says what each answers.
    func askAll(
        _ question: Question,
        through central: EightBallCentral,
        _ reporter: AskReporter
    ) async throws {
        for try await _ in await central.discoveries(for: timeouts.discovery) {}
        try Task.checkCancellation()
        await central.stopScanning()
        let balls = await central.devices.filter(isWanted)
        guard !balls.isEmpty else { throw EightBallError(noBallWithin: timeouts.discovery) }
        var hasAnswer = false
        var failure: EightBallError?
        for await response in central.ask(question, ofAll: balls) {
            switch response.result {
            case .success: hasAnswer = true
            case .failure(let error): failure = error as? EightBallError ?? failure
            }
        }
        try Task.checkCancellation()
        await reporter.ends(balls.count)
        if !hasAnswer, let failure { throw Self.noAnswer(of: balls.count, failure) }
    }

    private enum Event {
        case discovered(any BallDevice)
        case ended(Response)
        /// No more balls are looked for; what to throw if none is being asked.
        case searchEnded(any Error)
    }

    /// Asks every ball as soon as it is discovered, until one has answered.
    ///
    /// - Returns: the first answer, and whose it is.
    func askFirst(
        _ question: Question,
        through central: EightBallCentral,
        _ reporter: AskReporter
    ) async throws -> Response {
        let (events, happened) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let limit = timeouts.discovery
            group.addTask {
                do {
                    // One that has got another name comes again.
                    var asked: Set<PeerID> = []
                    for try await ball in await central.discoveries(for: limit)
                    where isWanted(ball) && asked.insert(ball.id).inserted {
                        happened.yield(.discovered(ball))
                    }
                    happened.yield(.searchEnded(EightBallError(noBallWithin: limit)))
                } catch {
                    happened.yield(.searchEnded(error))
                }
            }
            defer { group.cancelAll() }
            var askedCount = 0
            var unfinishedCount = 0
            var searchEnd: (any Error)?
            var failure: EightBallError?
            for await event in events {
                switch event {
                case .discovered(let ball):
                    askedCount += 1
                    unfinishedCount += 1
                    group.addTask {
                        for await response in central.ask(question, ofAll: [ball]) {
                            happened.yield(.ended(response))
                        }
                    }
                case .ended(let response):
                    unfinishedCount -= 1
                    guard case .failure(let error) = response.result else {
                        await reporter.answers(1)
                        return response
                    }
                    failure = error as? EightBallError ?? failure
                case .searchEnded(let error):
                    searchEnd = error
                }
                guard let searchEnd, unfinishedCount == 0 else { continue }
                try Task.checkCancellation()
                throw failure.map { Self.noAnswer(of: askedCount, $0) } ?? searchEnd
            }
            throw CancellationError()
        }
    }

    private static func noAnswer(of count: Int, _ failure: EightBallError) -> EightBallError {
        guard count > 1 else { return failure }
        return EightBallError(
            failure.code,
            "none of \(count) balls answered; at last, \(failure.message)",
            underlying: failure
        )
    }
}
