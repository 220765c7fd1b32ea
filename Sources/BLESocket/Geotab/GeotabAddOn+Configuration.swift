extension GeotabAddOn {
    /// How a device knows this end, and how long it is waited for.
    public struct Configuration: Sendable {
        /// What an add-on asks of a device.
        public struct Flags: OptionSet, Hashable, Sendable {
            /// To acknowledge the confirmation.
            public static let acknowledge = Flags(rawValue: 1 << 0)
            /// To wrap binary packets.
            public static let wrapBinary = Flags(rawValue: 1 << 1)

            /// The bits.
            public let rawValue: UInt16

            /// Creates flags.
            ///
            /// - Parameter rawValue: the bits; those without a name are sent as well.
            public init(rawValue: UInt16) {
                self.rawValue = rawValue
            }
        }

        /// The identifier that the maker of devices has given out.
        public var deviceID: UInt16
        /// What it asks of the device.
        public var flags: Flags
        /// How long a device may take from the opening to the end of the handshake.
        ///
        /// A device listens for 72 s, then pauses for 5 s.
        public var handshakeLimit: Duration = .seconds(90)
        /// How long a device may take to acknowledge the confirmation; then it is synced with anew.
        public var acknowledgementLimit: Duration = .seconds(3)
        /// How long the result of a message may take; then the socket is closed.
        public var resultLimit: Duration = .seconds(30)
        /// How long the rest of a frame may take.
        public var frameLimit: Duration = .seconds(5)
        /// How often it shows that it is there.
        public var syncInterval: Duration = .seconds(1)
        /// How many messages may wait to be sent; at least 1.
        public var maximumMessageCount = 64
        /// How many bytes a message may have, of either end; from 40 to 65,535.
        ///
        /// It is to be the same at both ends. The greater it is, the more of what follows garbage can hide that seems to begin a
        /// message.
        public var maximumMessageByteCount = 8_192

        /// Creates a configuration.
        ///
        /// - Parameters:
        ///   - deviceID: the identifier that the maker of devices has given out.
        ///   - flags: what it asks of the device.
        public init(deviceID: UInt16, flags: Flags) {
            self.deviceID = deviceID
            self.flags = flags
        }

        /// As the app Keyless has it.
        public static let keyless = Configuration(deviceID: 0x105F, flags: .acknowledge)
        /// As the apps IOX BLE have it.
        public static let iox = Configuration(deviceID: 0x102D, flags: .acknowledge)
    }
}
