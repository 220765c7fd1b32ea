import BLE
import BLETesting

@testable import MeshRelay

/// Nodes that know each other, in a schedule.
///
/// They send each other messages at any time, move out of each other's reach and back, lose connections, stop and start, and
/// their radios are turned off. Then all go well and are in reach, and each message has to come. Last they stop.
///
/// Unchecked, as ``Schedule``.
final class RelayWorld: @unchecked Sendable {
    private enum Step: CaseIterable {
        case sends, moves, loses, power, stops, starts, time, longTime

        /// How often it happens beside the others.
        var weight: Int {
            switch self {
            case .sends, .time: 6
            case .moves: 4
            case .power, .stops: 1
            default: 2
            }
        }
    }

    private struct Member {
        let node: RelayNode
        let radio: MemoryRadio
        let events: Task<Void, Never>
    }

    private struct WeakReference {
        weak let object: RelayNode?
    }

    private struct Message: Hashable {
        let sender: Int
        let receiver: Int
        let id: Int32
    }

    private static let row = Step.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    private static let names = ["alice", "bobby", "carol", "david", "elena"]

    private let schedule: Schedule
    private let calls: ScheduledCalls
    private let air: MemoryAir
    private var members: [Member] = []
    private var sent: [Message: String] = [:]
    private var received: [Message: String] = [:]
    private var delivered: Set<Message> = []
    private var lastText = 0

    private init(_ schedule: Schedule) {
        self.schedule = schedule
        calls = ScheduledCalls(schedule)
        air = MemoryAir(in: schedule)
    }

    /// Plays one schedule.
    ///
    /// - Returns: how many messages were sent.
    static func play(_ schedule: Schedule) -> Int {
        // Each of five sends all that it has kept to the four others, who send it on.
        schedule.longestRun = 500_000
        let world = RelayWorld(schedule)
        world.calls.perform("begin") { try await world.begin() }
        schedule.play(schedule.scheduler.number(in: 10...60), of: row, world.take)
        world.allGoesWell()
        world.end()
        return world.sent.count
    }

    private func begin() async throws {
        let dice = schedule.scheduler
        var configuration = MemoryRadio.Configuration()
        configuration.features = dice.chance(50) ? [] : RelayScene.features[0]
        for (number, name) in Self.names.prefix(dice.number(in: 2...5)).enumerated() {
            let radio = await air.radio(name, configuration)
            let node = RelayNode(
                radio: radio,
                identity: RelayIdentity(),
                address: try RelayAddress("\(name)#1234"),
                generation: dice.element(of: [.both, .first, .second]) ?? .both,
                clock: schedule.clock
            )
            let events = Task { [stream = await node.events] in
                for await event in stream { self.hear(event, number) }
            }
            members.append(Member(node: node, radio: radio, events: events))
        }
        for one in members {
            for other in members where other.node !== one.node {
                try await one.node.add(other.node.link)
            }
            if dice.chance(80) { try await one.node.start() }
        }
    }

    // MARK: - Steps

    private func take(_ step: Step) {
        let dice = schedule.scheduler
        let one = dice.number(in: 0...(members.count - 1))
        let other = (one + dice.number(in: 1...(members.count - 1))) % members.count
        schedule.note("\(step) \(one) \(other)")
        switch step {
        case .sends: send(from: one, to: other)
        case .moves: setReach(dice.chance(50) ? RSSI(-50) : nil, one, other)
        case .loses:
            let radios = (members[one].radio, members[other].radio)
            calls.begin("\(one) loses \(other)") { [air] in
                await air.simulateDisconnection(between: radios.0, and: radios.1)
            }
        case .power: setPower(dice.chance(50), one)
        case .stops: calls.begin("\(one) stops") { await self.members[one].node.stop() }
        case .starts: calls.begin("\(one) starts") { try await self.members[one].node.start() }
        case .time: schedule.sleepers.advance()
        case .longTime: for _ in 0..<10 { calls.passTime() }
        }
    }

    private func send(from one: Int, to other: Int) {
        lastText += 1
        let text = "text \(lastText)"
        calls.begin("\(one) sends '\(text)' to \(other)") {
            let id = try await self.members[one].node.send(
                text,
                to: self.members[other].node.address
            )
            self.sent[Message(sender: one, receiver: other, id: id)] = text
        }
    }

    private func setReach(_ rssi: RSSI?, _ one: Int, _ other: Int) {
        let radios = (members[one].radio, members[other].radio)
        calls.begin("\(one) and \(other) are \(rssi == nil ? "apart" : "near")") { [air] in
            await air.simulateProximityChange(to: rssi, between: radios.0, and: radios.1)
        }
    }

    private func setPower(_ isOn: Bool, _ one: Int) {
        let radio = members[one].radio
        calls.begin("\(one) is \(isOn ? "on" : "off")") {
            if isOn { await radio.simulatePowerOn() } else { await radio.simulatePowerOff() }
        }
    }

    // MARK: - What nodes tell

    private func hear(_ event: RelayEvent, _ number: Int) {
        switch event {
        case .received(let message):
            guard let sender = index(of: message.sender) else {
                return schedule.fault("\(number) has a message of nobody")
            }
            let heard = Message(sender: sender, receiver: number, id: message.id)
            schedule.note("\(number) has '\(message.text)' of \(sender)")
            if received.updateValue(message.text, forKey: heard) != nil {
                schedule.fault("\(number) has '\(message.text)' twice")
            }
        case .delivered(let id, let contact):
            guard let receiver = index(of: contact) else {
                return schedule.fault("a receipt of nobody")
            }
            let heard = Message(sender: number, receiver: receiver, id: id)
            schedule.note("\(number): '\(sent[heard] ?? "?")' was delivered to \(receiver)")
            if received[heard] == nil { schedule.fault("a receipt for what has not come") }
            if !delivered.insert(heard).inserted { schedule.fault("a receipt is told twice") }
        case .undecipherable: schedule.fault("\(number) cannot decrypt a message")
        case .becameReady: schedule.note("\(number) is ready")
        case .becameUnready(let error): schedule.note("\(number): \(error)")
        case .connected(let neighbour): schedule.note("\(number) hears \(neighbour.id)")
        case .disconnected(let neighbour, _):
            schedule.note("\(number) hears \(neighbour.id) no more")
        case .changed, .read, .relayed, .failed, .notKept, .missed: break
        }
    }

    private func index(of address: RelayAddress) -> Int? {
        members.firstIndex { $0.node.address == address }
    }

    // MARK: - The end

    private func allGoesWell() {
        schedule.note("from here on all goes well")
        calls.finish()
        for one in members.indices {
            setPower(true, one)
            for other in 0..<one { setReach(RSSI(-50), one, other) }
        }
        calls.finish()
        for (number, member) in members.enumerated() {
            calls.perform("\(number) starts") { try await member.node.start() }
        }
        for one in members.indices {
            for other in members.indices where other != one { send(from: one, to: other) }
        }
        calls.finish()
        // What was sent more than 15 minutes before may be gone.
        guard schedule.now < .seconds(600) else { return }
        calls.passTime(until: "each message is delivered, \(sent.count) of them") {
            self.delivered.count == self.sent.count
        }
    }

    private func end() {
        for (message, text) in received where sent[message] != text {
            schedule.fault("\(message.receiver) has '\(text)', which was never sent")
        }
        for (number, member) in members.enumerated() {
            calls.perform("\(number) stops") {
                await member.node.stop()
                let counters = await member.node.counters
                let dropped = counters.dropped.values.reduce(0, +)
                if counters.received != counters.delivered + counters.relayed + dropped {
                    self.schedule.fault("\(number) has lost count: \(counters)")
                }
                if await !member.node.neighbours.isEmpty {
                    self.schedule.fault("\(number) has neighbours after its end")
                }
            }
        }
        for member in members { member.events.cancel() }
        let nodes = members.map { WeakReference(object: $0.node) }
        members = []
        schedule.settle()
        for (number, node) in nodes.enumerated() where node.object != nil {
            schedule.fault("something holds \(number) still")
        }
    }
}
