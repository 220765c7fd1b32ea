/// How long the adapter waits for bluetoothd to settle, how often it tries again, by which clock.
///
/// All limits of the adapter's own stand here. They bound what it does to mend a failure; how long a
/// caller waits in all is the caller's, whose cancellation ends each of these waits at once.
struct Recovery: Sendable {
    /// Measures all of them.
    var clock: any Clock<Duration> = ContinuousClock()

    /// Where the random part of each pause comes from; the same seed gives the same pauses.
    var seed = UInt64.random(in: .min ... .max)

    /// How long to find out whether an error tells a refusal, or that the service goes.
    ///
    /// bluetoothd removes the objects tens of milliseconds after the error.
    var verdict: Duration = .seconds(1)

    // MARK: - Discovery

    /// The pauses between attempts to start a discovery while one is in progress.
    ///
    /// The kernel goes on with one of a bluetoothd that was killed, for 10 s.
    var startPauses: [Duration] = [
        .milliseconds(500), .seconds(1), .seconds(2), .milliseconds(2500), .milliseconds(2500),
    ]

    /// How long a discovery may be silent before it is started anew; twice as long each time.
    var silence: Duration = .seconds(3)

    /// How often in a row it is started anew.
    var restartCount = 3

    // MARK: - Connecting

    /// How often one connection is tried.
    var connectCount = 4

    /// The pauses in between.
    var connectPauses = Backoff(first: .milliseconds(250), longest: .seconds(2))

    /// When a connection is not tried again: bluetoothd gives up a peer that is not there after 40 s,
    /// with the error of one whose link broke at once.
    var connecting: Duration = .seconds(20)

    /// How long a link that failed may be shown as one.
    var unlinking: Duration = .seconds(2)

    /// How long a peer whose object is gone is looked for.
    var seeking: Duration = .seconds(5)
}

extension Recovery {
    /// Tells, whenever it is called, how long ago it was made.
    func stopwatch() -> () -> Duration {
        func started(on clock: some Clock<Duration>) -> () -> Duration {
            let start = clock.now
            return { start.duration(to: clock.now) }
        }
        return started(on: clock)
    }
}
