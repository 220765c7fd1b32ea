/// What an ``EightBallCentral`` has under way between `start` and `stop`.
enum CentralSession {
    case stopped
    /// The first scan is being begun, by the call of this number.
    case starting(Int)
    /// Balls are looked for.
    case scanning(Scan, watching: Task<Void, Never>)
    /// No more balls are looked for; those that are known can be asked.
    case scanned(watching: Task<Void, Never>)

    struct Scan {
        /// Receives sightings.
        let scanning: Task<Void, Never>
        /// Removes balls that are no longer received.
        let aging: Task<Void, Never>
        /// Why nothing is received now; `nil` while the radio scans.
        var failure: EightBallError?

        func cancel() {
            scanning.cancel()
            aging.cancel()
        }
    }

    var isScanning: Bool {
        if case .scanning = self { true } else { false }
    }

    var isStopped: Bool {
        if case .stopped = self { true } else { false }
    }

    /// Why nothing is received now; `nil` when that is not known, or nothing is to be received.
    var scanFailure: EightBallError? {
        get {
            guard case .scanning(let scan, _) = self else { return nil }
            return scan.failure
        }
        set {
            guard case .scanning(var scan, let watching) = self else { return }
            scan.failure = newValue
            self = .scanning(scan, watching: watching)
        }
    }

    /// Ends what is under way.
    mutating func stop() {
        switch self {
        case .stopped, .starting:
            break
        case .scanning(let scan, let watching):
            scan.cancel()
            watching.cancel()
        case .scanned(let watching):
            watching.cancel()
        }
        self = .stopped
    }

    /// Ends the scan.
    mutating func stopScanning() {
        guard case .scanning(let scan, let watching) = self else { return }
        scan.cancel()
        self = .scanned(watching: watching)
    }
}
