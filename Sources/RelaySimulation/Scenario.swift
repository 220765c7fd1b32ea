/// Who is where, what they say, and what their radios can do.
package struct Scenario: Hashable, Sendable {
    /// How nodes move.
    package enum Mobility: String, Hashable, Sendable, CaseIterable {
        /// Not at all.
        case still
        /// Each to a point by chance, at 0.5 to 1.5 m/s, then a rest of up to a minute (random way-point).
        case walk
        /// In two crowds out of each other's reach, as in ``walk``; one node of twenty goes from one to the other.
        case crowds
        /// All in one direction, in a column twenty times as long as it is wide, where each drifts at 0.2 m/s at most.
        case march
    }

    package var nodeCount: Int
    package var seed: UInt64
    package var mobility: Mobility
    /// How many neighbours a node has in its reach, on average, where nodes are spread evenly.
    package var density = 8.0
    /// How long it goes on, in seconds; nothing is sent in the last quarter.
    package var seconds = 3_600
    /// How many messages each node sends an hour, each to a node by chance.
    package var messagesPerHour = 4.0
    /// How many bytes of text a message has.
    package var textByteCount = 100

    /// How far a signal reaches, in metres.
    package var rangeMetres = 30.0
    /// To how many nodes a radio is connected at most.
    package var connectionLimit = 7
    /// From when two are in reach of each other until both hear each other, in milliseconds: finding the
    /// advertisement, connecting, finding the service, subscribing.
    package var connectingMilliseconds: ClosedRange<Int> = 400...3_000
    /// How often a connection has its turn, in milliseconds.
    package var connectionIntervalMilliseconds = 50
    /// How often a link-layer packet has to be sent again, of one.
    package var lossRate = 0.05
    /// How long encrypting, or decrypting, takes, in microseconds.
    package var cryptographyMicroseconds = 300

    /// A scenario with the values that are written here.
    ///
    /// - Parameters:
    ///   - nodeCount: how many nodes there are, 2 or more.
    ///   - mobility: how they move.
    ///   - seed: decides all that is by chance.
    package init(nodeCount: Int, mobility: Mobility = .walk, seed: UInt64) {
        precondition(nodeCount >= 2)
        self.nodeCount = nodeCount
        self.mobility = mobility
        self.seed = seed
    }

    /// How long each side of the square is, on which so many nodes have that density.
    var sideMetres: Double {
        (Double(nodeCount) * .pi * rangeMetres * rangeMetres / density).squareRoot()
    }
}
