import Measuring

/// Calls, one after the other or many at once.
extension BenchClient {
    /// One call after the other.
    func sequential(_ count: Int) async throws -> Report {
        var latencies: [UInt64] = []
        latencies.reserveCapacity(count)
        var check = 0
        let watch = Stopwatch()
        for _ in 0..<count {
            let start = CurrentTime.wall
            check += try await echo()
            latencies.append(CurrentTime.wall - start)
        }
        return Report(
            mode: "seq",
            count: count,
            wall: watch.wall,
            cpu: watch.cpu,
            median: latencies.median,
            check: check
        )
    }

    /// As many calls in flight as there are workers.
    func pipelined(_ count: Int, workers: Int) async throws -> Report {
        let watch = Stopwatch()
        let check = try await withThrowingTaskGroup { group in
            for worker in 0..<workers {
                let share = (count + worker) / workers
                group.addTask { try await self.echo(times: share) }
            }
            var check = 0
            for try await share in group { check += share }
            return check
        }
        return Report(mode: "pipe", count: count, wall: watch.wall, cpu: watch.cpu, check: check)
    }

    private func echo(times count: Int) async throws -> Int {
        var check = 0
        for _ in 0..<count { check += try await echo() }
        return check
    }
}
