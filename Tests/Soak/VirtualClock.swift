import Glibc

/// A clock that jumps to what is waited for next whenever nothing is left to be done until then.
///
/// So a day passes as fast as its work gets done, and no time limit ends because the machine is
/// slow: between two jumps no time passes at all.
struct VirtualClock: Clock {
    struct Instant: InstantProtocol {
        let sinceStart: Duration

        func advanced(by duration: Duration) -> Instant {
            Instant(sinceStart: sinceStart + duration)
        }

        func duration(to other: Instant) -> Duration { other.sinceStart - sinceStart }

        static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.sinceStart < rhs.sinceStart }
    }

    private let sleepers = Sleepers()

    var now: Instant { Instant(sinceStart: sleepers.now) }
    var minimumResolution: Duration { .zero }

    /// How often it has gone on.
    var jumps: Int { sleepers.jumps }

    /// How many wait for a time.
    var sleeperCount: Int { sleepers.count }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = sleepers.nextID()
        defer { sleepers.forget(id) }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleepers.add(id, until: deadline.sinceStart, continuation)
            }
        } onCancel: {
            sleepers.cancel(id)
        }
    }

    /// Lets no time pass while something is done; the clock's thread does nothing meanwhile.
    func stopped<Output>(_ work: () async throws -> Output) async rethrows -> Output {
        sleepers.isStopped = true
        defer { sleepers.isStopped = false }
        return try await work()
    }

    /// Lets time pass, on a thread of its own, for as long as the process lives.
    ///
    /// - Parameter stillness: tells when nothing is left to be done.
    func run(whenever stillness: Stillness) {
        let drive = Drive(sleepers: sleepers, stillness: stillness)
        var thread = pthread_t()
        let status = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Drive>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            Unmanaged.passRetained(drive).toOpaque()
        )
        precondition(status == 0, "the system has no thread for the clock")
    }
}

/// What a clock's thread does.
private final class Drive: Sendable {
    private let sleepers: Sleepers
    private let stillness: Stillness

    init(sleepers: Sleepers, stillness: Stillness) {
        self.sleepers = sleepers
        self.stillness = stillness
    }

    func run() {
        var stillness = stillness
        while true {
            let hasGoneOn = sleepers.unlessStopped {
                stillness.isReached() && sleepers.wakeNext()
            }
            // A loop that never sleeps would take the processor from what is waited for.
            if !hasGoneOn { usleep(50) }
        }
    }
}
