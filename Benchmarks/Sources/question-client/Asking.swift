import MagicEightBall
import Measuring

/// How often and how fast each ball is asked.
struct Asking {
    let count: Int
    /// From one question to the next; zero for one after the other.
    let pace: Duration
    /// When no other question is asked.
    let limit: Duration

    /// Asks all balls at once, each one question after the other.
    ///
    /// - Throws: when an answer is missing.
    func ask(
        _ balls: [any BallDevice],
        by central: EightBallCentral
    ) async throws -> AskingReport {
        let question = try Question("Will it rain?")
        let watch = Stopwatch()
        let latencies: [[UInt64]] = try await withThrowingTaskGroup { group in
            for ball in balls {
                group.addTask { try await ask(question, of: ball, by: central) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return AskingReport(
            wall: watch.wall,
            cpu: watch.cpu,
            switches: watch.switches,
            latencies: latencies
        )
    }

    /// How long each question to a ball took, in nanoseconds.
    private func ask(
        _ question: Question,
        of ball: any BallDevice,
        by central: EightBallCentral
    ) async throws -> [UInt64] {
        var latencies: [UInt64] = []
        let start = ContinuousClock.now
        while latencies.count < count, start.duration(to: .now) < limit {
            if pace > .zero {
                try await Task.sleep(until: start + pace * latencies.count, clock: .continuous)
            }
            let begin = CurrentTime.wall
            _ = try await central.ask(question, of: ball)
            latencies.append(CurrentTime.wall - begin)
        }
        return latencies
    }
}
