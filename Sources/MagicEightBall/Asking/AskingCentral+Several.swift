internal import BLE

extension AskingCentral {
    /// Asks several balls the same question, all at once.
    ///
    /// ```swift
    /// for await response in central.ask(question, ofAll: await central.devices) {
    ///     print(response.device.name, response.result)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - question: what to ask.
    ///   - devices: balls that this SDK has discovered; one that is named twice is asked once.
    /// - Returns: one response for each ball, as soon as it is there; for one consumer. When that goes
    ///   away, the questions that are unfinished are cancelled.
    public func ask(
        _ question: Question,
        ofAll devices: [any BallDevice]
    ) -> AsyncStream<Response> {
        let (responses, continuation) = AsyncStream.makeStream(of: Response.self)
        let asking = Task {
            await withTaskGroup { group in
                var asked: Set<PeerID> = []
                for device in devices where asked.insert(device.id).inserted {
                    group.addTask {
                        do {
                            let answer = try await self.ask(question, of: device)
                            return Response(device: device, result: .success(answer))
                        } catch {
                            return Response(device: device, result: .failure(error))
                        }
                    }
                }
                for await response in group { continuation.yield(response) }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in asking.cancel() }
        return responses
    }

    /// Asks several balls the same question, all at once, and waits for the first answer.
    ///
    /// The other balls' questions are cancelled. A ball that refuses or fails is left out, as long as
    /// another one may answer.
    ///
    /// - Parameters:
    ///   - question: what to ask.
    ///   - devices: balls that this SDK has discovered.
    /// - Returns: the first answer, and the ball that gave it.
    /// - Throws: ``EightBallError`` when no ball answers: of one ball what it failed with, of several
    ///   the code of the one that failed last and the messages of all; with
    ///   ``EightBallError/Code/noBallFound`` when there is none to ask; `CancellationError`.
    public func ask(
        _ question: Question,
        ofAny devices: [any BallDevice]
    ) async throws -> (answer: Answer, device: any BallDevice) {
        var failures: [EightBallError] = []
        for await response in ask(question, ofAll: devices) {
            switch response.result {
            case .success(let answer): return (answer, response.device)
            case .failure(let error):
                if let error = error as? EightBallError { failures.append(error) }
            }
        }
        try Task.checkCancellation()
        throw EightBallError(noneAnswered: question, failures)
    }
}

extension EightBallError {
    /// That no ball of several answered.
    init(noneAnswered question: Question, _ failures: [EightBallError]) {
        guard let last = failures.last else {
            self.init(.noBallFound, "'\(question)' was not asked: there is no ball to ask")
            return
        }
        if failures.count == 1 {
            self = last
        } else {
            let messages = failures.map(\.message).joined(separator: "; ")
            self.init(
                last.code,
                "none of \(failures.count) balls answered: \(messages)",
                underlying: last
            )
        }
    }
}
