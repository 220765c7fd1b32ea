internal import BLETesting
internal import HeapModule
package import MeshRelay

/// Nodes that move, connect and relay, on a clock of their own.
///
/// The same scenario has the same outcome, on any machine.
package struct Simulation {
    private enum Event {
        /// A second has passed.
        case second
        /// Two that are in reach hear each other from now on.
        case connected(Int, Int)
        /// A notification has come, over a connection that was the so-manieth.
        case arrived(WirePacket, from: Int, at: Int, connection: Int)
        case sends(Int)
        case acknowledges(Int, RelayPacket)
    }

    private struct Scheduled: Comparable {
        let time: Int64
        let number: Int
        let event: Event

        static func < (one: Scheduled, other: Scheduled) -> Bool {
            (one.time, one.number) < (other.time, other.number)
        }

        static func == (one: Scheduled, other: Scheduled) -> Bool { one.number == other.number }
    }

    private struct Connection {
        let peer: Int
        let number: Int
    }

    private struct Node {
        var router: Router
        var connections: [Connection] = []
        /// With whom a connection is being made.
        var connecting: [Int] = []
        /// When it has sent what it had to.
        var sendsUntil: Int64 = 0
    }

    private struct Message {
        let time: Int64
        var isDelivered = false
    }

    private let scenario: Scenario
    private let addresses: [RelayAddress]
    private var movement: Movement
    private var nodes: [Node]
    private var events = Heap<Scheduled>()
    private var lastNumber = 0
    private var lastConnection = 0
    private var now: Int64 = 0
    private var random: SeededGenerator
    /// Messages by their numbers, which are their positions here.
    private var messages: [Message] = []
    private var nextReceiptID: Int32 = 1 << 30
    private var connectionSeconds = 0
    private var report = SimulationReport()

    /// - Parameters:
    ///   - scenario: who is where, what they say, and what their radios can do.
    ///   - limits: what each node remembers, keeps and takes.
    package init(_ scenario: Scenario, limits: RelayLimits = RelayLimits()) {
        self.scenario = scenario
        random = SeededGenerator(seed: scenario.seed)
        movement = Movement(scenario)
        addresses = (0..<scenario.nodeCount).map { number in
            guard let address = try? RelayAddress("n\(number)#1000") else {
                preconditionFailure("it is one")
            }
            return address
        }
        nodes = addresses.map { address in
            Node(router: Router(address: address, generation: .second, limits: limits))
        }
    }

    /// Runs it to its end.
    ///
    /// - Returns: what has come of it.
    package mutating func run() -> SimulationReport {
        scheduleMessages()
        schedule(.second, after: 0)
        let end = Int64(scenario.seconds) * 1_000_000
        while let next = events.popMin(), next.time <= end {
            now = next.time
            handle(next.event)
        }
        report.delays.sort()
        for counters in nodes.map(\.router.counters) {
            report.received += counters.received
            report.receivedByTarget += counters.delivered
            report.relayed += counters.relayed
        }
        report.degree =
            Double(connectionSeconds) / Double(scenario.seconds) / Double(scenario.nodeCount)
        return report
    }

    private mutating func schedule(_ event: Event, after delay: Int64) {
        lastNumber += 1
        events.insert(Scheduled(time: now + delay, number: lastNumber, event: event))
    }

    /// Each node sends at times by chance, so many an hour on average.
    private mutating func scheduleMessages() {
        let end = Double(scenario.seconds) * 0.75
        let pause = 3_600 / scenario.messagesPerHour
        for node in nodes.indices {
            var time = Double.random(in: 0...pause, using: &random)
            while time < end {
                schedule(.sends(node), after: Int64(time * 1_000_000))
                time += Double.random(in: 0...2 * pause, using: &random)
            }
        }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .second:
            movement.advance()
            updateConnections()
            connectionSeconds += nodes.reduce(0) { $0 + $1.connections.count }
            schedule(.second, after: 1_000_000)
        case .connected(let one, let other): connect(one, other)
        case .arrived(let packet, let source, let node, let connection):
            guard nodes[node].connections.contains(where: { $0.number == connection }) else {
                return
            }
            handle(.receivedPacket(packet, from: NeighbourID(source)), at: node)
        case .sends(let node): send(from: node)
        case .acknowledges(let node, let packet): handle(.originated(packet), at: node)
        }
    }

    // MARK: - Messages

    private mutating func send(from node: Int) {
        let other = Int.random(in: 1..<nodes.count, using: &random)
        // In base64, encrypted.
        let text = String(repeating: "A", count: (scenario.textByteCount + 28 + 2) / 3 * 4)
        let message = RelayPacket(
            id: Int32(messages.count),
            kind: .message,
            sender: addresses[node].text,
            receiver: addresses[(node + other) % nodes.count].text,
            text: text
        )
        messages.append(Message(time: now))
        report.sent += 1
        schedule(
            .acknowledges(node, message),
            after: Int64(scenario.cryptographyMicroseconds)
        )
    }

    private mutating func deliver(_ packet: RelayPacket, at node: Int) {
        switch packet.kind {
        case .message:
            let number = Int(packet.id)
            guard !messages[number].isDelivered else { return }
            messages[number].isDelivered = true
            report.delivered += 1
            report.delays.append(Int((now - messages[number].time) / 1_000))
            let receipt = RelayReceipt.received(packet.id)
            let acknowledgement = RelayPacket(
                id: nextReceiptID,
                kind: receipt.kind,
                sender: packet.receiver,
                receiver: packet.sender,
                text: receipt.text
            )
            nextReceiptID += 1
            schedule(
                .acknowledges(node, acknowledgement),
                after: Int64(scenario.cryptographyMicroseconds)
            )
        case .acknowledgement: report.acknowledged += 1
        case .read, .position: break
        }
    }

    private mutating func handle(_ event: Router.Event, at node: Int) {
        for effect in nodes[node].router.handle(event, at: .microseconds(now)) {
            switch effect {
            case .send(let packet, let neighbours):
                for neighbour in neighbours { transfer(packet, from: node, to: neighbour.number) }
            case .deliver(let packet, _): deliver(packet, at: node)
            case .drop(let reason, _): report.dropped[reason.rawValue, default: 0] += 1
            }
        }
    }

    /// Sends a notification when what was to be sent before has been, and in the connection's turn.
    private mutating func transfer(_ packet: WirePacket, from node: Int, to peer: Int) {
        guard let connection = nodes[node].connections.first(where: { $0.peer == peer }) else {
            return
        }
        let once = AirTime.microseconds(of: packet.bytes.count)
        var time = once
        while Double.random(in: 0..<1, using: &random) < scenario.lossRate { time += once }
        let begin = max(now, nodes[node].sendsUntil)
        nodes[node].sendsUntil = begin + time
        report.transfers += 1
        report.airMicroseconds += time
        let interval = Int64(scenario.connectionIntervalMilliseconds) * 1_000
        let turn = Int64.random(in: 0..<max(1, interval), using: &random)
        schedule(
            .arrived(packet, from: node, at: peer, connection: connection.number),
            after: begin + time + turn - now
        )
    }

    // MARK: - Connections

    private mutating func updateConnections() {
        let square = scenario.rangeMetres * scenario.rangeMetres
        for node in nodes.indices {
            for connection in nodes[node].connections where connection.peer > node {
                let other = movement.points[connection.peer]
                if movement.points[node].squareDistance(to: other) > square {
                    disconnect(node, connection.peer)
                }
            }
        }
        for (one, other) in Grid(movement.points, cell: scenario.rangeMetres).pairs(within: square)
        {
            guard hasRoom(one), hasRoom(other), !nodes[one].connecting.contains(other),
                !nodes[one].connections.contains(where: { $0.peer == other })
            else { continue }
            nodes[one].connecting.append(other)
            nodes[other].connecting.append(one)
            let delay = Int.random(in: scenario.connectingMilliseconds, using: &random)
            schedule(.connected(one, other), after: Int64(delay) * 1_000)
        }
    }

    private func hasRoom(_ node: Int) -> Bool {
        nodes[node].connections.count + nodes[node].connecting.count < scenario.connectionLimit
    }

    private mutating func connect(_ one: Int, _ other: Int) {
        nodes[one].connecting.removeAll { $0 == other }
        nodes[other].connecting.removeAll { $0 == one }
        let distance = movement.points[one].squareDistance(to: movement.points[other])
        guard distance <= scenario.rangeMetres * scenario.rangeMetres else { return }
        lastConnection += 1
        report.connections += 1
        nodes[one].connections.append(Connection(peer: other, number: lastConnection))
        nodes[other].connections.append(Connection(peer: one, number: lastConnection))
        handle(.joined(NeighbourID(other)), at: one)
        handle(.joined(NeighbourID(one)), at: other)
    }

    private mutating func disconnect(_ one: Int, _ other: Int) {
        nodes[one].connections.removeAll { $0.peer == other }
        nodes[other].connections.removeAll { $0.peer == one }
        handle(.left(NeighbourID(other)), at: one)
        handle(.left(NeighbourID(one)), at: other)
    }
}
