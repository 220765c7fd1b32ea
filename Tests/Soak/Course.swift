import Glibc

/// The course of a soak: from the start to its last reading.
struct Course {
    let tally: Tally
    private let plan: Plan
    private let clock = VirtualClock()
    private let stage: Stage

    init(_ plan: Plan) async throws {
        self.plan = plan
        tally = Tally(addressCount: plan.addresses)
        stage = try await Stage(plan, clock, tally)
    }

    /// - Returns: a reading at the start, one at each tenth, one after everything was closed.
    func run() async throws -> [Reading] {
        try await stage.open()
        let start = clock.now
        let scene = Scene(clock: clock, tally: tally, start: start, duration: plan.duration)
        let watch = Task { await endWhenStuck(scene) }
        var readings = [try await read("start", scene)]
        let askers = await stage.askers
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, (asker, share)) in askers.enumerated() {
                group.addTask {
                    await scene.run(
                        asker,
                        questionCount: Int(Double(plan.questions) * share),
                        seed: plan.seed + UInt64(index)
                    )
                }
            }
            for (due, event) in plan.events {
                await scene.pause(until: scene.instant(after: due))
                switch event {
                case .disturbance(let disturbance):
                    try await stage.disturb(disturbance)
                    if case .restart = disturbance { await admitCrowd(scene) }
                case .reading(let tenth):
                    readings.append(try await read("\(tenth)/10", scene))
                }
            }
            try await group.waitForAll()
        }
        await waitForSightings(scene)
        readings.append(try await read("10/10", scene))
        await stage.close()
        watch.cancel()
        readings.append(try await read("closed", scene))
        return readings
    }

    /// Reads what is in use when all has come to rest: when each question has ended, each link was
    /// given back, each stranger is forgotten.
    private func read(_ moment: String, _ scene: Scene) async throws -> Reading {
        let began = clock.now
        await scene.gate.close()
        await stage.dismissCrowd()
        await scene.pause(for: .seconds(200))
        let reading = try await clock.stopped {
            // A publication's guard against a responder that hangs keeps calls for 4 s of real time.
            if ["start", "2/10", "10/10"].contains(moment) {
                try await Task.sleep(for: .milliseconds(4500))
            }
            return try await stage.read(moment, since: scene.start)
        }
        scene.rest.add(began.duration(to: clock.now))
        await admitCrowd(scene)
        await scene.gate.open()
        var standardError = StandardError()
        print(table([reading.cells]), to: &standardError)
        return reading
    }

    /// Ends the process when questions are still being asked an hour after the last one was due.
    private func endWhenStuck(_ scene: Scene) async {
        let last = plan.duration + .seconds(3600)
        while scene.start.duration(to: clock.now) < last + scene.rest.duration {
            await scene.pause(until: scene.instant(after: last))
            guard !Task.isCancelled else { return }
        }
        print(tally.counts.summary)
        print("soak: it hangs: questions are still being asked an hour after the last was due")
        exit(1)
    }

    private func admitCrowd(_ scene: Scene) async {
        let end = scene.instant(after: plan.duration)
        // What is left of the last hour is not worth a storm.
        let remaining = max(.seconds(600), clock.now.duration(to: end))
        await stage.admitCrowd(remaining: remaining)
    }

    /// Some sightings are missed while a radio is off, or connects.
    private func waitForSightings(_ scene: Scene) async {
        while tally.counts.sightings < plan.sightings {
            await stage.admitCrowd(remaining: .seconds(20))
            await scene.pause(for: .seconds(30))
        }
    }
}

extension Tally.Counts {
    /// What became of all questions, and of all sightings.
    var summary: String {
        func list(_ counts: [String: Int]) -> String {
            let parts = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        }
        return """
            questions: \(asked) asked, \(answered) answered, \(takenBack) taken back
              \(refusedCount) refused\(list(refused))
              \(failedCount) failed\(list(failed))
              \(hung) hung, \(lost) lost, \(crossed) crossed, \(toldTwice) told twice
              no ball to ask \(withoutBall.values.reduce(0, +)) times\(list(withoutBall))
            sightings: \(sightings) of \(addresses.count { $0 }) addresses
            """
    }

    /// What must not be.
    func violations(of plan: Plan) -> [String] {
        [
            (hung, "questions hung"), (lost, "questions were lost"),
            (crossed, "questions got another one's answer, the first: \(firstCrossed ?? "")"),
            (toldTwice, "questions were told of twice"),
        ]
        .filter { $0.0 != 0 }.map { "\($0.0) \($0.1)" }
            + (sightings < plan.sightings ? ["only \(sightings) sightings were made"] : [])
    }
}

/// Standard error, for `print`.
private struct StandardError: TextOutputStream {
    mutating func write(_ string: String) {
        let bytes = Array(string.utf8)
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}
