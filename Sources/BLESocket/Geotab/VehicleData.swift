/// What a device tells of its vehicle each second.
///
/// | offset | bytes | hold, little-endian |
/// |---|---|---|
/// | 0 | 4 | seconds since 2002-01-01T00:00:00Z |
/// | 4, 8 | 4 each, signed | latitude and longitude, 10⁻⁷ degrees |
/// | 12 | 1 | speed, km/h |
/// | 13 | 2 | engine speed, a quarter of a revolution a minute |
/// | 15 | 4 | odometer, 0.1 km |
/// | 19 | 1 | ``Flags`` |
/// | 20 | 4 | trip, 0.1 km |
/// | 24 | 4 | engine hours, 0.1 h |
/// | 28 | 4 | trip, s |
/// | 32, 36 | 4 each | the vehicle's and the driver's identifier |
///
/// Source: Docs/Wire.md.
public struct VehicleData: Hashable, Sendable {
    /// What is known.
    public struct Flags: OptionSet, Hashable, Sendable {
        /// The position is valid.
        public static let position = Flags(rawValue: 1 << 0)
        /// The ignition is on.
        public static let ignition = Flags(rawValue: 1 << 1)
        /// The engine reports to the device.
        public static let engine = Flags(rawValue: 1 << 2)
        /// The date is valid.
        public static let date = Flags(rawValue: 1 << 3)
        /// The speed is the engine's, not the receiver's.
        public static let engineSpeed = Flags(rawValue: 1 << 4)
        /// The odometer is the engine's, not the receiver's.
        public static let engineOdometer = Flags(rawValue: 1 << 5)

        /// The bits.
        public let rawValue: UInt8

        /// Creates flags.
        ///
        /// - Parameter rawValue: the bits; those without a name are kept.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }
    }

    /// How many bytes it has; a newer device may send more, which are left out.
    public static let byteCount = 40

    /// Seconds since 2002-01-01T00:00:00Z.
    public var seconds: UInt32 = 0
    /// 10⁻⁷ degrees, north positive.
    public var latitude: Int32 = 0
    /// 10⁻⁷ degrees, east positive.
    public var longitude: Int32 = 0
    /// Kilometres an hour.
    public var speed: UInt8 = 0
    /// Quarters of a revolution a minute.
    public var engineSpeed: UInt16 = 0
    /// Tenths of a kilometre.
    public var odometer: UInt32 = 0
    /// What is known.
    public var flags: Flags = []
    /// Tenths of a kilometre since the trip began.
    public var tripDistance: UInt32 = 0
    /// Tenths of an hour.
    public var engineHours: UInt32 = 0
    /// Seconds since the trip began.
    public var tripSeconds: UInt32 = 0
    /// The vehicle's identifier; 0 for none.
    public var vehicle: UInt32 = 0
    /// The driver's identifier; 0 for none.
    public var driver: UInt32 = 0

    /// Creates data that tell nothing.
    public init() {}

    /// Reads the body of a frame of kind ``GeotabFrame/Kind/vehicleData``.
    ///
    /// Fails for fewer than 40 bytes.
    ///
    /// - Parameter body: the body; bytes after the first 40 are left out.
    public init?(_ body: [UInt8]) {
        var reader = NumberReader(body[...])
        guard let seconds: UInt32 = reader.next(), let latitude: Int32 = reader.next(),
            let longitude: Int32 = reader.next(), let speed: UInt8 = reader.next(),
            let engineSpeed: UInt16 = reader.next(), let odometer: UInt32 = reader.next(),
            let flags: UInt8 = reader.next(), let tripDistance: UInt32 = reader.next(),
            let engineHours: UInt32 = reader.next(), let tripSeconds: UInt32 = reader.next(),
            let vehicle: UInt32 = reader.next(), let driver: UInt32 = reader.next()
        else { return nil }
        self.seconds = seconds
        self.latitude = latitude
        self.longitude = longitude
        self.speed = speed
        self.engineSpeed = engineSpeed
        self.odometer = odometer
        self.flags = Flags(rawValue: flags)
        self.tripDistance = tripDistance
        self.engineHours = engineHours
        self.tripSeconds = tripSeconds
        self.vehicle = vehicle
        self.driver = driver
    }

    /// The body of a frame of kind ``GeotabFrame/Kind/vehicleData``.
    public var bytes: [UInt8] {
        seconds.littleEndianBytes + latitude.littleEndianBytes + longitude.littleEndianBytes
            + [speed] + engineSpeed.littleEndianBytes + odometer.littleEndianBytes
            + [flags.rawValue] + tripDistance.littleEndianBytes + engineHours.littleEndianBytes
            + tripSeconds.littleEndianBytes + vehicle.littleEndianBytes + driver.littleEndianBytes
    }
}
