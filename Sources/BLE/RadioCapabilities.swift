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
        /// What is notified of a characteristic, and what is written to it without a response, leaves in the order of the calls.
        ///
        /// Where it is missing, values may overtake each other on the way to a peer whose system lacks it, too: over three bearers,
        /// as between two BlueZ 5.66, within groups of three and more. Values that need an order carry a number then.
        public static let orderedValues = Features(rawValue: 1 << 6)
    }

    /// What a radio can be.
    public struct Roles: OptionSet, Hashable, Sendable {
        /// The roles as bits.
        public let rawValue: Int

        /// Creates a set from bits.
        ///
        /// - Parameter rawValue: the roles as bits.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// It scans and connects.
        public static let central = Roles(rawValue: 1 << 0)
        /// It advertises and takes connections.
        public static let peripheral = Roles(rawValue: 1 << 1)
        /// Both at once.
        public static let simultaneous = Roles(rawValue: 1 << 2)
    }

    /// The most bytes that a value has; with a small MTU it may be less for what is notified or written without a response.
    public struct Lengths: Hashable, Sendable {
        /// A value that is written with a response, read, or indicated; 512.
        public let value: Int
        /// A value that is written without a response; see ``Link/maximumWriteByteCount(_:)``.
        public let command: Int
        /// A value that is notified.
        public let notification: Int

        /// Creates lengths.
        ///
        /// - Parameters:
        ///   - value: of a value that is written with a response, read, or indicated.
        ///   - command: of one that is written without a response.
        ///   - notification: of one that is notified.
        public init(value: Int = 512, command: Int = 512, notification: Int = 512) {
            self.value = value
            self.command = command
            self.notification = notification
        }
    }

    /// The system's Bluetooth service and its version, such as `BlueZ 5.66`; `nil` where it is not told.
    public let system: String?

    /// That version as a value; `nil` where it is not told.
    public let version: SystemVersion?

    /// What the radio can be; `nil` where it is not told.
    public let roles: Roles?

    /// The most bytes that a value has.
    public let lengths: Lengths

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
    ///   - version: that version as a value; `nil` for unknown.
    ///   - roles: what the radio can be; `nil` for unknown.
    ///   - lengths: the most bytes that a value has.
    ///   - advertisementCount: how many advertisements there can be at once; `nil` for unknown.
    ///   - freeAdvertisementCount: how many more there can be now; `nil` for unknown.
    ///   - features: what not every system can do.
    public init(
        system: String? = nil,
        version: SystemVersion? = nil,
        roles: Roles? = nil,
        lengths: Lengths = Lengths(),
        advertisementCount: Int? = nil,
        freeAdvertisementCount: Int? = nil,
        features: Features = []
    ) {
        self.system = system
        self.version = version
        self.roles = roles
        self.lengths = lengths
        self.advertisementCount = advertisementCount
        self.freeAdvertisementCount = freeAdvertisementCount
        self.features = features
    }
}
