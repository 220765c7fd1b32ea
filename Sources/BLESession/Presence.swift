package import BLE

/// What the sightings of a peer say: its signal strength, whether it is in range, and whether it is lost.
///
/// The strength jumps by several dB from one sighting to the next. So it is smoothed: each sighting
/// moves the mean by a quarter of its distance, and the mean of a peer that comes or goes has made
/// nine tenths of the way after eight sightings. A peer is in range when its mean is in the window, and
/// out of range when it is more than 6 dB outside; between the two it stays as it was.
package struct Presence: Sendable {
    /// How much of the way to a new strength the mean goes.
    static let weight = 0.25
    /// How far outside of the window a peer is out of range, in dB.
    static let hysteresis = 6.0
    /// How far the mean has to go to count as a change, in dB.
    static let noticeable = 3.0
    /// Into how many periods the time is cut after which an unseen peer is lost.
    package static let periodCount = 4

    /// The strength at the last sighting that had one.
    package private(set) var rssi: RSSI
    package private(set) var isInRange: Bool
    package private(set) var lastSeen: ContinuousClock.Instant
    private var mean: Double
    private var reportedMean: Double
    private var periodsUnseen = 0

    /// How long a period is.
    ///
    /// - Parameter limit: after which time an unseen peer is lost.
    /// - Returns: a part of that; 10 ms at least, so that who waits for the end of each leaves time for others.
    package static func period(of limit: Duration) -> Duration {
        max(limit / periodCount, .milliseconds(10))
    }

    /// A peer at its first sighting.
    package init(_ rssi: RSSI, window: ClosedRange<RSSI>, at now: ContinuousClock.Instant) {
        self.rssi = rssi
        lastSeen = now
        mean = Double(rssi.rawValue)
        reportedMean = mean
        isInRange = window.contains(rssi)
    }

    /// The mean, to a whole dBm.
    package var smoothedRSSI: RSSI { RSSI(Int(mean.rounded())) }

    /// Takes another sighting.
    ///
    /// - Returns: whether enough has changed to be reported: 3 dB, or whether it is in range.
    package mutating func update(
        _ rssi: RSSI?,
        window: ClosedRange<RSSI>,
        at now: ContinuousClock.Instant
    ) -> Bool {
        lastSeen = now
        periodsUnseen = 0
        guard let rssi else { return false }
        self.rssi = rssi
        mean += (Double(rssi.rawValue) - mean) * Self.weight
        let wasInRange = isInRange
        isInRange = isMeanInRange(window)
        guard isInRange != wasInRange || abs(mean - reportedMean) >= Self.noticeable else {
            return false
        }
        reportedMean = mean
        return true
    }

    /// A period without a sighting has passed.
    ///
    /// - Returns: whether the peer is lost: it was not seen in any period, the first one not counted,
    ///   which had begun before its last sighting.
    package mutating func endPeriod() -> Bool {
        periodsUnseen += 1
        return periodsUnseen > Self.periodCount
    }

    /// Counts anew: in this period the peer could not be seen.
    package mutating func resetPeriods() {
        periodsUnseen = 0
    }

    private func isMeanInRange(_ window: ClosedRange<RSSI>) -> Bool {
        let low = Double(window.lowerBound.rawValue)
        let high = Double(window.upperBound.rawValue)
        let margin = isInRange ? Self.hysteresis : 0
        return (low - margin...high + margin).contains(mean)
    }
}
