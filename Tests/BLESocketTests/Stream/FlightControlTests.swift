import Testing

@testable import BLESocket

/// How many bytes may be on their way.
@Suite("A stream's flight")
struct FlightControlTests {
    private var flight = FlightControl()
    private var number = 0
    private var now = Duration.zero

    /// Full rounds of so many transmissions each, all of which take the same time.
    private mutating func send(_ rounds: Int, of count: Int, each milliseconds: Int) {
        for _ in 0..<rounds {
            now += .milliseconds(milliseconds)
            flight.fill()
            number += count
            flight.confirm(
                count,
                upTo: number,
                after: .milliseconds(milliseconds),
                lastNumber: number,
                at: now
            )
        }
    }

    @Test mutating func `doubles until round trips take longer, and then gives way`() {
        let first = flight.byteCount
        send(2, of: 16, each: 40)
        #expect(flight.byteCount == 2 * first)
        send(2, of: 16, each: 40)
        #expect(flight.byteCount == 4 * first)
        // A queue of more than half the shortest round trip.
        send(2, of: 16, each: 80)
        #expect(flight.byteCount == 3 * first)
        send(2, of: 16, each: 50)
        #expect(flight.byteCount == 3 * first + 1_024)
    }

    @Test mutating func `does not take for a queue that few frames are confirmed later`() {
        send(2, of: 16, each: 2)
        for _ in 0..<4 { flight.lose() }
        let least = flight.byteCount
        send(40, of: 4, each: 22)
        #expect(flight.byteCount > 8 * least)
    }

    /// Streams that have the same queue before them; some have lost something as they began.
    @Test(arguments: [(2, 500), (8, 2_000)])
    func `comes to the same as others on the same link`(
        count: Int,
        byteCountEachMillisecond: Int
    ) throws {
        var flights = [FlightControl](repeating: FlightControl(), count: count)
        for index in flights.indices {
            for _ in 0..<2 * (index % 4) { flights[index].lose() }
        }
        var number = 0
        var now = Duration.zero
        /// Of the last five seconds.
        var sums = [Int](repeating: 0, count: count)
        while now < .seconds(30) {
            let byteCount = flights.reduce(0) { $0 + max($1.byteCount, 2_048) }
            let roundTrip = Duration.milliseconds(max(40, byteCount / byteCountEachMillisecond))
            now += roundTrip
            number += 16
            for index in flights.indices {
                flights[index].fill()
                flights[index].confirm(
                    16,
                    upTo: number,
                    after: roundTrip,
                    lastNumber: number,
                    at: now
                )
                if now > .seconds(25) { sums[index] += flights[index].byteCount }
            }
        }
        let least = try #require(sums.min())
        let most = try #require(sums.max())
        #expect(Double(least) / Double(most) > 0.8, "\(sums)")
    }

    @Test mutating func `measures the shortest round trip anew after ten seconds`() {
        send(2, of: 16, each: 40)
        while flight.byteCount > 0, now < .seconds(20) { send(1, of: 16, each: 100) }
        #expect(now > .seconds(10) && now < .seconds(11))
        // The link has become slower for good: that is no queue.
        send(1, of: 4, each: 100)
        let before = flight.byteCount
        send(4, of: 16, each: 100)
        #expect(flight.byteCount > before)
    }

    @Test mutating func `keeps to its limits`() {
        send(40, of: 16, each: 40)
        #expect(flight.byteCount == 128 * 1_024)
        for _ in 0..<20 { flight.lose() }
        #expect(flight.byteCount == 1_024)
    }
}
