internal import BLEDBus

/// Devices that pass an adapter by: they advertise, and nobody can connect to them.
///
/// Each that is near is received about once a second; after 5 to 15 times it has gone, and another one
/// of them is near.
struct Crowd {
    /// One that is received.
    struct Passerby {
        /// Which one, 0 for the first.
        let number: Int
        let advertisement: RegisteredAdvertisement
        let rssi: Int16
    }

    /// One that is near.
    private struct Visit {
        let passerby: Passerby
        var reportsLeft: Int
    }

    /// The number of the first one as a peer of an adapter, above those of all adapters.
    static let firstPeer = 1000

    private let count: Int
    private let sightingsPerSecond: Double
    private let services: [String]
    private var generator: SeededGenerator

    private var visits: [Visit] = []
    private var isNear: Set<Int> = []
    /// Whose turn to be received it is.
    private var turn = 0
    /// How much of a sighting is left over from the times before.
    private var rest = 0.0

    init(_ count: Int, sightingsPerSecond: Double, services: [String], seed: UInt64) {
        self.count = count
        self.sightingsPerSecond = sightingsPerSecond
        self.services = services
        generator = SeededGenerator(seed: seed)
        let nearCount = min(count, max(1, Int(sightingsPerSecond.rounded())))
        while visits.count < nearCount { visits.append(nextVisit()) }
    }

    /// Who is received within a time.
    mutating func receive(for duration: Duration) -> [Passerby] {
        rest += sightingsPerSecond * (duration / .seconds(1))
        var received: [Passerby] = []
        while rest >= 1 {
            rest -= 1
            received.append(receiveNext())
        }
        return received
    }

    private mutating func receiveNext() -> Passerby {
        turn = (turn + 1) % visits.count
        let passerby = visits[turn].passerby
        visits[turn].reportsLeft -= 1
        if visits[turn].reportsLeft == 0 {
            isNear.remove(passerby.number)
            visits[turn] = nextVisit()
        }
        // A strength jumps by some dB from one report to the next.
        let rssi = passerby.rssi + Int16.random(in: -4...4, using: &generator)
        return Passerby(
            number: passerby.number,
            advertisement: passerby.advertisement,
            rssi: rssi
        )
    }

    private mutating func nextVisit() -> Visit {
        var number = Int.random(in: 0..<count, using: &generator)
        while !isNear.insert(number).inserted { number = (number + 1) % count }
        let passerby = Passerby(
            number: number,
            advertisement: RegisteredAdvertisement(
                ofPasserby: number,
                serviceUUIDs: number.isMultiple(of: 10) ? services : []
            ),
            rssi: Int16.random(in: -95 ... -45, using: &generator)
        )
        return Visit(passerby: passerby, reportsLeft: .random(in: 5...15, using: &generator))
    }

    /// The random static address of one: the same number always has the same.
    ///
    /// Source: Core specification, Vol 6, Part B, 1.3.2.1.
    static func address(of number: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(number))
        let random = generator.next()
        let high = (0..<3).map { UInt8(truncatingIfNeeded: random >> (8 * $0)) }
        let low = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        return ([high[0] | 0xC0] + high.dropFirst() + low)
            .map { byte in
                let digits = String(byte, radix: 16, uppercase: true)
                return byte < 16 ? "0" + digits : digits
            }
            .joined(separator: ":")
    }
}
