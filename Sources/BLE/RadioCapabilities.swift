/// What a radio and its system can do.
public struct RadioCapabilities: Hashable, Sendable {
    /// What not every system can do.
    public struct Features: OptionSet, Hashable, Sendable {
        /// The features as bits.
        public let rawValue: Int

        /// Creates a set from bits.
        ///
        /// - Parameter rawValue: the features as bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// ``Publication/notify(_:to:of:)`` reaches one central alone, in a publication with
        /// ``PublicationOptions/individualNotifications``.
        public static let individualNotifications = Features(rawValue: 1 << 0)
        /// ``PublicationEvent/subscribed(_:_:)`` names the central, in such a publication.
        ///
        /// Of a characteristic with ``CharacteristicProperties/notify``: who has subscribed to indications alone is named nowhere.
        public static let namedSubscribers = Features(rawValue: 1 << 1)
        /// ``GATTRequest/writeKind`` is told.
        public static let writeKinds = Features(rawValue: 1 << 2)
        /// ``Sighting/isConnectable`` is told.
        public static let connectability = Features(rawValue: 1 << 3)
        /// ``Advertisement/interval`` is heeded.
        public static let advertisingIntervals = Features(rawValue: 1 << 4)
        /// ``Link/acquireWriter(for:)`` and ``Link/acquireReader(for:)`` work.
        public static let exclusiveAccess = Features(rawValue: 1 << 5)
    }

    /// The system's Bluetooth service and its version, such as `BlueZ 5.66`; `nil` where it is not told.
    public let system: String?

    /// How many advertisements there can be at once, those of other programs included; `nil` where it is
    /// not told.
    public let advertisementCount: Int?

    /// How many more advertisements there can be now; `nil` where it is not told.
    public let freeAdvertisementCount: Int?

    /// What not every system can do.
    public let features: Features

    /// Creates capabilities.
    ///
    /// - Parameters:
    ///   - system: the system's Bluetooth service and its version; `nil` for unknown.
    ///   - advertisementCount: how many advertisements there can be at once; `nil` for unknown.
    ///   - freeAdvertisementCount: how many more there can be now; `nil` for unknown.
    ///   - features: what not every system can do.
    public init(
        system: String? = nil,
        advertisementCount: Int? = nil,
        freeAdvertisementCount: Int? = nil,
        features: Features = []
    ) {
        self.system = system
        self.advertisementCount = advertisementCount
        self.freeAdvertisementCount = freeAdvertisementCount
        self.features = features
    }
}
