/// Which adapters receive each other, how strong and how well.
struct Air {
    /// What chance decides, each of its own so that one does not change another.
    private struct Chance: Hashable {
        let sender: Int
        let receiver: Int
        let isAdvertising: Bool

        /// What an adapter receives first; none receives itself otherwise.
        static func firstReport(to receiver: Int) -> Chance {
            Chance(sender: receiver, receiver: receiver, isAdvertising: true)
        }
    }

    /// How near two adapters are at a time to come.
    struct Step {
        let due: Duration
        let proximity: Proximity
    }

    private let seed: UInt64
    private var proximities: [AdapterPair: Proximity] = [:]
    private var qualities: [AdapterPair: LinkQuality] = [:]
    private var generators: [Chance: SeededGenerator] = [:]

    /// How adapters move from now on, the next step first.
    private(set) var paths: [AdapterPair: [Step]] = [:]

    init(seed: UInt64 = 0) {
        self.seed = seed
    }

    /// Who passes an adapter by.
    var crowds: [Int: Crowd] = [:]

    /// The signal strength at which two adapters receive each other, in dBm.
    ///
    /// - Returns: `nil` when they don't; none receives itself.
    func rssi(between adapter: Int, and other: Int) -> Int16? {
        guard adapter != other else { return nil }
        return (proximities[AdapterPair(adapter, other)] ?? .near).rssi.map { Int16(clamping: $0) }
    }

    mutating func set(_ proximity: Proximity, between adapter: Int, and other: Int) {
        proximities[AdapterPair(adapter, other)] = proximity
    }

    // MARK: - Quality

    func quality(between adapter: Int, and other: Int) -> LinkQuality {
        qualities[AdapterPair(adapter, other)] ?? .perfect
    }

    mutating func set(_ quality: LinkQuality, between adapter: Int, and other: Int) {
        qualities[AdapterPair(adapter, other)] = quality == .perfect ? nil : quality
    }

    /// Whether an advertising report is lost on its way.
    mutating func losesReport(from sender: Int, to receiver: Int) -> Bool {
        loses(Chance(sender: sender, receiver: receiver, isAdvertising: true))
    }

    /// How often a packet of a link is lost before it arrives.
    ///
    /// - Parameters:
    ///   - sender: who sends it.
    ///   - receiver: who is to receive it.
    ///   - limit: how often at most.
    /// - Returns: how often; the limit also when it would have been more.
    mutating func losses(from sender: Int, to receiver: Int, atMost limit: Int) -> Int {
        let chance = Chance(sender: sender, receiver: receiver, isAdvertising: false)
        var count = 0
        while count < limit, loses(chance) { count += 1 }
        return count
    }

    /// How long after it has begun to listen an adapter receives the first report; the square of chance, so mostly early.
    mutating func firstReport(to receiver: Int, within range: ClosedRange<Duration>) -> Duration {
        guard range.lowerBound < range.upperBound else { return range.lowerBound }
        let part = number(.firstReport(to: receiver))
        return range.lowerBound + (range.upperBound - range.lowerBound) * (part * part)
    }

    private mutating func loses(_ chance: Chance) -> Bool {
        let loss = quality(between: chance.sender, and: chance.receiver).loss
        return loss > 0 && number(chance) < loss
    }

    /// The next number of a generator, in 0..<1.
    private mutating func number(_ chance: Chance) -> Double {
        var generator =
            generators[chance]
            ?? SeededGenerator(
                seed: seed ^ UInt64(chance.sender) << 20 ^ UInt64(chance.receiver) << 40
                    ^ (chance.isAdvertising ? 1 << 60 : 0)
            )
        defer { generators[chance] = generator }
        return Double.random(in: 0..<1, using: &generator)
    }

    // MARK: - Paths

    /// The next step of each path, the earliest first.
    var nextSteps: [(pair: AdapterPair, due: Duration)] {
        paths.compactMap { pair, steps in steps.first.map { (pair: pair, due: $0.due) } }
            .sorted {
                ($0.due, $0.pair.lower, $0.pair.higher) < ($1.due, $1.pair.lower, $1.pair.higher)
            }
    }

    mutating func setPath(_ steps: [Step], between adapter: Int, and other: Int) {
        paths[AdapterPair(adapter, other)] = steps.isEmpty ? nil : steps
    }

    /// Takes the next step of a path.
    mutating func takeStep(of pair: AdapterPair) -> Step? {
        guard let step = paths[pair]?.first else { return nil }
        paths[pair]?.removeFirst()
        if paths[pair]?.isEmpty == true { paths[pair] = nil }
        return step
    }
}
