import EightBallCLI
import MagicEightBall

// Several balls at once.
extension Ask {
    /// Asks every ball that was heard in time, and says what each answers.
    func askAll(
        _ question: Question,
        through central: EightBallCentral,
        _ reporter: AskReporter
    ) async throws {
        do {
            // None is: this looks around for its time, or until the radio fails.
            _ = try await central.discoverDevice { _ in false }
        } catch let error as EightBallError where error.code == .noBallFound {
            guard await central.devices.contains(where: isWanted) else { throw error }
        }
        await central.stopScanning()
        let balls = await central.devices.filter(isWanted)
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
        case heard(any PeripheralDevice)
        case ended(Response)
        /// No more balls are heard; why, if none was.
        case silence(EightBallError)
    }

    /// Asks every ball as soon as it is heard, until one has answered.
    ///
    /// - Returns: the first answer, and whose it is.
    func askFirst(
        _ question: Question,
        through central: EightBallCentral,
        _ reporter: AskReporter
    ) async throws -> Response {
        let (events, happened) = AsyncStream.makeStream(of: Event.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for await ball in reporter.discoveries { happened.yield(.heard(ball)) }
            }
            group.addTask {
                do {
                    _ = try await central.discoverDevice { _ in false }
                } catch let error as EightBallError {
                    happened.yield(.silence(error))
                }
            }
            defer { group.cancelAll() }
            var askedCount = 0
            var unfinishedCount = 0
            var silence: EightBallError?
            var failure: EightBallError?
            for await event in events {
                switch event {
                case .heard(let ball):
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
                case .silence(let error):
                    silence = error
                }
                guard let silence, unfinishedCount == 0 else { continue }
                throw failure.map { Self.noAnswer(of: askedCount, $0) } ?? silence
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
