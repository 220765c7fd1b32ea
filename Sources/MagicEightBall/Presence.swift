internal import BLE

/// How a ball is heard: how loud, whether it is in range, and whether it has fallen silent.
///
/// A strength jumps by several dB from one sighting to the next. So it is smoothed: each sighting
/// moves the mean by a quarter of its distance, and the mean of a ball that comes or goes has made
/// nine tenths of the way after eight sightings. A ball is in range when it is in the window, and
/// out of range when it is more than 6 dB outside; between the two it stays as it was.
///
/// A value: sightings and the passing of time go in, what has changed comes out.
struct Presence: Sendable {
    /// How much of the way to a new strength the mean goes.
    static let weight = 0.25
    /// How far outside of the window a ball is out of range, in dB.
    static let hysteresis = 6.0
    /// How far the mean has to go to be told, in dB.
    static let noticeable = 3.0
    /// Into how many parts the time is cut after which a silent ball is lost.
    static let periodCount = 4

    /// The strength at the last sighting that had one.
    private(set) var rssi: RSSI?
    private(set) var isInRange: Bool
    private(set) var lastHeard: ContinuousClock.Instant
    private var mean: Double?
    private var toldMean: Double?
    private var silentPeriods = 0

    /// A ball that was heard for the first time.
    init(_ rssi: RSSI?, window: ClosedRange<RSSI>, at now: ContinuousClock.Instant) {
        self.rssi = rssi
        lastHeard = now
        mean = rssi.map { Double($0.rawValue) }
        toldMean = mean
        isInRange = rssi.map(window.contains) ?? false
    }

    /// The mean, to a whole dBm.
    var smoothedRSSI: RSSI? { mean.map { RSSI(Int($0.rounded())) } }

    /// The ball was heard again.
    ///
    /// - Returns: whether enough has changed to be told: 3 dB, or whether it is in range.
    mutating func hear(
        _ rssi: RSSI?,
        window: ClosedRange<RSSI>,
        at now: ContinuousClock.Instant
    ) -> Bool {
        lastHeard = now
        silentPeriods = 0
        guard let rssi else { return false }
        self.rssi = rssi
        let newest = Double(rssi.rawValue)
        let mean = mean.map { $0 + (newest - $0) * Self.weight } ?? newest
        self.mean = mean
        let wasInRange = isInRange
        isInRange = judge(mean, window)
        let way = toldMean.map { abs(mean - $0) } ?? .infinity
        guard isInRange != wasInRange || way >= Self.noticeable else { return false }
        toldMean = mean
        return true
    }

    /// A quarter of the time has passed after which a silent ball is lost.
    ///
    /// - Returns: whether the ball has been silent for all of it, a quarter more or less.
    mutating func passPeriod() -> Bool {
        silentPeriods += 1
        return silentPeriods > Self.periodCount
    }

    /// A ball that cannot be heard now is not silent.
    mutating func excuse() {
        silentPeriods = 0
    }

    private func judge(_ mean: Double, _ window: ClosedRange<RSSI>) -> Bool {
        let low = Double(window.lowerBound.rawValue)
        let high = Double(window.upperBound.rawValue)
        let margin = isInRange ? Self.hysteresis : 0
        return (low - margin...high + margin).contains(mean)
    }
}
