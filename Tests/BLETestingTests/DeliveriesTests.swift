import BLE
import Testing

@testable import BLETesting

@Suite("Deliveries")
struct DeliveriesTests {
    private func channel(_ from: String, _ to: String) -> Deliveries.Channel {
        let route = Route(from: PeerID(rawValue: from), to: PeerID(rawValue: to))
        return .init(route: route, kind: .connection)
    }

    /// In which order three values of each of four radios arrive.
    private func order(seed: UInt64?, sent: [Int] = [0, 1, 2, 3]) -> [String] {
        var deliveries = Deliveries(seed: seed)
        for count in 0..<3 {
            for radio in sent {
                deliveries.add(.connect(count), to: channel("\(radio)", "X"), nil)
            }
        }
        var order: [String] = []
        while let next = deliveries.next() {
            guard case .connect(let count) = next.content else { continue }
            order.append("\(next.route.from)\(count)")
        }
        return order
    }

    @Test func `arrive in the order in which they were sent, without a seed`() {
        let sent = (0..<3).flatMap { count in (0..<4).map { "\($0)\(count)" } }
        #expect(order(seed: nil) == sent)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `keep the order of each channel`(seed: UInt64) {
        let order = order(seed: seed)
        for radio in 0..<4 {
            let own = order.filter { $0.hasPrefix("\(radio)") }
            #expect(own == (0..<3).map { "\(radio)\($0)" })
        }
    }

    @Test func `come in another order with another seed, and in the same with the same`() {
        let orders = (0..<50).map { order(seed: $0) }
        #expect(Set(orders).count > 40)
        #expect(orders == (0..<50).map { order(seed: $0, sent: [3, 1, 0, 2]) })
    }

    @Test func `come in this order in each process`() {
        #expect(order(seed: 1).prefix(4) == ["00", "10", "30", "31"])
    }

    @Test func `of a connection can be lost`() async throws {
        var deliveries = Deliveries(seed: nil)
        let (lost, kept) = (Promise<Void>(), Promise<Void>())
        deliveries.add(.packet(1, .mtuChanged(23)), to: channel("A", "B"), lost)
        deliveries.add(.packet(2, .mtuChanged(23)), to: channel("A", "B"), kept)
        deliveries.removeAll(of: 1, on: channel("A", "B").route)
        try await lost.wait()
        #expect(deliveries.count(in: channel("A", "B")) == 1)
    }
}
