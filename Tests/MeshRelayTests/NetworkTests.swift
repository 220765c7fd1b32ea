import BLETesting
import TestThreads
import Testing

@testable import MeshRelay

/// Routers whose neighbours come and go, and messages among them.
private struct Network {
    struct Transfer {
        let source: Int
        let target: Int
        let bytes: [UInt8]
    }

    var routers: [Router]
    var random: SeededGenerator
    var links: Set<[Int]> = []
    var transfers: [Transfer] = []
    var delivered: [Int: [RelayPacket]] = [:]
    /// How often each packet went over each connection in each direction.
    var sent: [String: Int] = [:]
    var now = Duration.zero

    init(count: Int, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        routers = (0..<count).map {
            Router(address: Vectors.address("node#\($0)"), generation: .both)
        }
    }

    mutating func connect(_ one: Int, _ other: Int) {
        guard one != other, links.insert([one, other].sorted()).inserted else { return }
        handle(.joined(NeighbourID(other)), at: one)
        handle(.joined(NeighbourID(one)), at: other)
    }

    mutating func disconnect(_ one: Int, _ other: Int) {
        guard links.remove([one, other].sorted()) != nil else { return }
        handle(.left(NeighbourID(other)), at: one)
        handle(.left(NeighbourID(one)), at: other)
        transfers.removeAll { [$0.source, $0.target].sorted() == [one, other].sorted() }
    }

    mutating func send(_ packet: RelayPacket, at node: Int) {
        handle(.originated(packet), at: node)
    }

    mutating func handle(_ event: Router.Event, at node: Int) {
        now += .milliseconds(1)
        for effect in routers[node].handle(event, at: now) {
            switch effect {
            case .send(let packet, let neighbours):
                let bytes = packet.bytes
                for neighbour in neighbours {
                    transfers.append(
                        Transfer(source: node, target: neighbour.number, bytes: bytes)
                    )
                    sent["\(node) \(neighbour.number) \(bytes)", default: 0] += 1
                }
            case .deliver(let packet, _): deliver(packet, at: node)
            case .drop: break
            }
        }
    }

    private mutating func deliver(_ packet: RelayPacket, at node: Int) {
        delivered[node, default: []].append(packet)
        guard packet.kind == .message else { return }
        let receipt = RelayReceipt.received(packet.id)
        send(
            RelayPacket(
                id: Int32.random(in: 0...Int32.max, using: &random),
                kind: receipt.kind,
                sender: packet.receiver,
                receiver: packet.sender,
                text: receipt.text
            ),
            at: node
        )
    }

    /// Lets what is under way arrive, in any order.
    mutating func run() {
        while !transfers.isEmpty {
            let transfer = transfers.remove(
                at: Int.random(in: transfers.indices, using: &random)
            )
            let event = Router.Event.received(transfer.bytes, from: NeighbourID(transfer.source))
            handle(event, at: transfer.target)
        }
    }
}

@Suite("Routers that are connected", .ownThread)
struct NetworkTests {
    private static func message(_ id: Int32, from sender: Int, to receiver: Int) -> RelayPacket {
        RelayPacket(
            id: id,
            kind: .message,
            sender: "node#\(sender)",
            receiver: "node#\(receiver)",
            text: "AAAA"
        )
    }

    /// Whatever the order, over whatever ways.
    @Test func `deliver each message once, and its acknowledgement`() {
        for seed in 0..<500 as Range<UInt64> {
            var network = Network(count: 2 + Int(seed % 14), seed: seed)
            let count = network.routers.count
            for node in 1..<count {
                network.connect(node, Int.random(in: 0..<node, using: &network.random))
            }
            for _ in 0..<Int.random(in: 0...count, using: &network.random) {
                network.connect(
                    Int.random(in: 0..<count, using: &network.random),
                    Int.random(in: 0..<count, using: &network.random)
                )
            }
            for id in 0..<5 as Range<Int32> {
                let sender = Int.random(in: 0..<count, using: &network.random)
                let receiver = (sender + 1 + Int(id) % (count - 1)) % count
                let message = Self.message(id, from: sender, to: receiver)
                network.send(message, at: sender)
                network.run()
                #expect(network.delivered[receiver]?.last == message, "seed \(seed)")
                let acknowledgement = network.delivered[sender]?.last
                #expect(acknowledgement?.text == "ACK/\(id)", "seed \(seed)")
                network.delivered = [:]
            }
            #expect(network.sent.values.allSatisfy { $0 == 1 }, "seed \(seed)")
            for router in network.routers {
                let counters = router.counters
                let dropped = counters.dropped.values.reduce(0, +)
                #expect(counters.received == counters.delivered + counters.relayed + dropped)
            }
        }
    }

    /// Connections come and go, and of any two one carries what the other has; nothing is delivered twice.
    @Test func `carry messages from one to the next as they meet`() {
        for seed in 0..<300 as Range<UInt64> {
            var network = Network(count: 6, seed: seed)
            let message = Self.message(7, from: 0, to: 5)
            network.send(message, at: 0)
            // Never all at once.
            for node in 0..<5 {
                network.connect(node, node + 1)
                network.run()
                network.disconnect(node, node + 1)
            }
            #expect(network.delivered[5] == [message], "seed \(seed)")
            // The acknowledgement goes the same way, and what is under way may be lost with a connection.
            for _ in 0..<200 {
                let one = Int.random(in: 0..<6, using: &network.random)
                let other = (one + Int.random(in: 1..<6, using: &network.random)) % 6
                network.connect(one, other)
                if Bool.random(using: &network.random) { network.run() }
                network.disconnect(one, other)
            }
            #expect(network.delivered[0]?.map(\.text) == ["ACK/7"], "seed \(seed)")
            #expect(network.delivered[5] == [message], "seed \(seed)")
            // Nobody has it any more who has seen the acknowledgement.
            #expect(network.routers[0].queuedCount == 0, "seed \(seed)")
        }
    }
}
