/// What has come of a simulation.
package struct SimulationReport: Hashable, Sendable {
    /// How many messages were sent.
    package internal(set) var sent = 0
    /// How many of them have come to their receivers.
    package internal(set) var delivered = 0
    /// Of how many the sender has got the acknowledgement.
    package internal(set) var acknowledged = 0
    /// How long those took that have come, in milliseconds, in order.
    package internal(set) var delays: [Int] = []
    /// How many notifications there were, acknowledgements' too.
    package internal(set) var transfers = 0
    /// How long radios have sent altogether, in microseconds.
    package internal(set) var airMicroseconds: Int64 = 0
    /// How many connections there were.
    package internal(set) var connections = 0
    /// How many packets nodes have got from neighbours: as many as were for them, were sent on, and were dropped.
    package internal(set) var received = 0
    /// How many of those were for the node that got them.
    package internal(set) var receivedByTarget = 0
    /// How many of those were sent on, or kept for who comes later.
    package internal(set) var relayed = 0
    /// How many packets were dropped, by reason.
    package internal(set) var dropped: [String: Int] = [:]
    /// How many connections a node had on average.
    package internal(set) var degree = 0.0

    /// How many of the messages have come, of one.
    package var deliveryRate: Double { sent == 0 ? 0 : Double(delivered) / Double(sent) }

    /// How often each message and its acknowledgement were sent.
    package var copiesPerMessage: Double { sent == 0 ? 0 : Double(transfers) / Double(sent) }

    /// What so many of a hundred messages that have come took at most, in milliseconds; 0 when none has.
    ///
    /// - Parameter percent: 0 to 100.
    /// - Returns: that delay.
    package func delay(percent: Int) -> Int {
        guard !delays.isEmpty else { return 0 }
        return delays[min(delays.count - 1, delays.count * percent / 100)]
    }
}
