public import BLE

extension MemoryRadio {
    /// What a radio can do.
    ///
    /// It can do everything unless told otherwise. Take something away to test what an app does without
    /// it:
    ///
    /// ```swift
    /// var configuration = MemoryRadio.Configuration()
    /// configuration.features.remove(.namedSubscribers)
    /// let radio = await air.radio("A", configuration)
    /// ```
    public struct Configuration: Hashable, Sendable {
        /// What not every system can do; all of it.
        public var features: RadioCapabilities.Features = [
            .individualNotifications, .namedSubscribers, .writeKinds, .connectability,
            .advertisingIntervals, .exclusiveAccess, .orderedValues,
        ]

        /// How many advertisements there can be at once, those of publications included; 5.
        public var advertisementCount = 5

        /// How many connections there can be at once; 16.
        public var connectionCount = 16

        /// The largest ATT MTU in bytes, 23 to 517; 517.
        ///
        /// A connection has the smaller one of its two radios'.
        public var mtuBytes = 517

        /// How long it is from one advertising event to the next, for advertisements that don't say it; 100 ms.
        public var advertisingInterval: Duration = .milliseconds(100)

        /// The transmit power in dBm that is advertised where that is asked for; 0.
        public var txPower = 0

        /// Whether publications and advertisements outlast the radio being off; they do.
        ///
        /// BlueZ keeps them. Otherwise they end with `RadioError.Code.off`.
        public var keepsPublicationsWhenOff = true

        /// Creates a configuration of a radio that can do everything.
        public init() {}
    }

    /// What comes of attempts to connect to a radio.
    public enum ConnectionAttempts: Sendable {
        /// There is a connection when the radio advertises that it is connectable.
        case succeed
        /// They fail with an error.
        case fail(RadioError)
        /// They don't end before they are cancelled, or before another case is chosen.
        case hang
    }
}
