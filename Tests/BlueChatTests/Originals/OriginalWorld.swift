import BLE
import BLETesting

@testable import BlueChat

/// Alice, whose messenger is tested, and two with the original app, in a schedule.
///
/// Anybody calls, sends and leaves at any time, connections are lost, and Alice's radio is turned off. Then all goes well: each of the
/// two chats with Alice once more. Last she stops.
///
/// Unchecked, as ``Schedule``.
final class OriginalWorld: @unchecked Sendable {
    private struct People {
        let alice: Messenger
        let bob: OriginalApp
        let carol: OriginalApp
    }

    enum Step: CaseIterable {
        case aliceCalls, aliceSends, aliceLeaves
        case bobCalls, bobSends, bobLeaves, bobHangsUp
        case carolCalls, carolSends, carolHangsUp
        case bobIsLost, carolIsLost, power, time, longTime

        /// How often it happens beside the others.
        var weight: Int {
            switch self {
            case .aliceSends, .bobSends, .time: 6
            case .aliceCalls, .bobCalls: 4
            case .power: 1
            default: 2
            }
        }
    }

    private static let row = Step.allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    let schedule: Schedule
    let air: MemoryAir
    private(set) var order: ChatOrder
    private var people: People?
    private var isOff = false
    private var lastText = 0
    private let calls: ScheduledCalls
    /// The texts that Alice has sent, to whom, and those that were confirmed.
    private var sent: [String: PeerID] = [:]
    private var confirmed: [String: PeerID] = [:]
    private var events: Task<Void, Never>?

    private init(_ schedule: Schedule) {
        self.schedule = schedule
        air = MemoryAir(in: schedule)
        order = ChatOrder(schedule)
        calls = ScheduledCalls(schedule)
    }

    /// Plays one schedule.
    ///
    /// - Returns: how many texts were sent.
    static func play(_ schedule: Schedule) -> Int {
        let world = OriginalWorld(schedule)
        world.calls.perform("begin") { try await world.begin() }
        schedule.play(schedule.scheduler.number(in: 10...80), of: row, world.take)
        world.allGoesWell()
        world.end()
        return world.lastText
    }

    private func begin() async throws {
        let dice = schedule.scheduler
        var configuration = MemoryRadio.Configuration()
        if dice.chance(50) { configuration.features = [] }
        let radio = await air.radio("Alice's", configuration)
        let alice = Messenger(
            radio: radio,
            name: try ChatName("Alice"),
            isOriginal: dice.chance(50),
            clock: schedule.clock
        )
        events = Task { [stream = await alice.events] in
            for await event in stream { self.order.take(event) }
        }
        let bob = OriginalApp("Bob", on: await air.radio("Bob's"), in: schedule)
        let carol = OriginalApp("Carol", on: await air.radio("Carol's"), in: schedule)
        people = People(alice: alice, bob: bob, carol: carol)
        try await alice.start()
        try await bob.start()
        try await carol.start()
    }

    private var alice: Messenger { present.alice }
    private var bob: OriginalApp { present.bob }
    private var carol: OriginalApp { present.carol }

    private var present: People {
        guard let people else { preconditionFailure("they are there from the beginning") }
        return people
    }

    // MARK: - Steps

    private func take(_ step: Step) {
        schedule.note("\(step)")
        switch step {
        case .aliceCalls:
            calls.begin("Alice calls") { _ = try await self.alice.call(self.bob.radio.peer) }
        case .aliceSends: aliceSends()
        case .aliceLeaves:
            if let chat = order.chat { calls.begin("Alice leaves") { await chat.leave() } }
        case .bobCalls: calls.begin("Bob calls") { try await self.bob.call(self.aliceID) }
        case .bobSends: sends(bob)
        case .bobLeaves: calls.begin("Bob asks to leave") { try await self.bob.askToLeave() }
        case .bobHangsUp: calls.begin("Bob hangs up") { await self.bob.hangUp() }
        case .carolCalls: calls.begin("Carol calls") { try await self.carol.call(self.aliceID) }
        case .carolSends: if carol.isCalling { sends(carol) }
        case .carolHangsUp: calls.begin("Carol hangs up") { await self.carol.hangUp() }
        case .bobIsLost: lose(bob)
        case .carolIsLost: lose(carol)
        case .power: setPower(isOff)
        case .time: schedule.sleepers.advance()
        case .longTime: for _ in 0..<20 { calls.passTime() }
        }
    }

    private var aliceID: PeerID { PeerID(rawValue: "Alice's") }

    private func aliceSends() {
        guard let chat = order.chat else { return }
        let text = newText("a")
        sent[text] = chat.peer
        calls.begin("Alice sends \(text)") {
            try await chat.send(text)
            self.schedule.note("\(text) is confirmed")
            self.confirmed[text] = chat.peer
        }
    }

    private func sends(_ app: OriginalApp) {
        let text = newText(app.name)
        let isCaller = app.isCalling
        calls.begin("\(app.name) sends \(text)") {
            // What is indicated may come when Alice has left, and her radio confirms it all the same.
            if try await app.send(text), isCaller { self.order.expect(text) }
        }
    }

    private func lose(_ app: OriginalApp) {
        calls.begin("\(app.name) is lost") { [air] in
            await air.simulateDisconnection(between: air.radio("Alice's"), and: app.radio)
        }
    }

    private func setPower(_ isOn: Bool) {
        isOff = !isOn
        calls.begin("power \(isOn)") { [air] in
            let radio = await air.radio("Alice's")
            if isOn { await radio.simulatePowerOn() } else { await radio.simulatePowerOff() }
        }
    }

    private func newText(_ author: String) -> String {
        lastText += 1
        return "\(author) \(lastText)"
    }

    // MARK: - The end

    private func allGoesWell() {
        schedule.note("from here on all goes well")
        // Every limit is over by then.
        calls.finish()
        setPower(true)
        for app in [bob, carol] {
            calls.perform("\(app.name) hangs up") {
                await app.hangUp()
                // Bob may be the one who was called.
                await self.order.chat?.leave()
            }
        }
        calls.passTime(until: "Alice is free") { self.order.isReady && self.order.chat == nil }
        calls.perform("chats") {
            for app in [self.bob, self.carol] {
                let text = self.newText(app.name)
                try await app.call(self.aliceID)
                guard try await app.send(text) else { throw ChatError(.failed, "not confirmed") }
                self.order.expect(text)
                await app.hangUp()
                while self.order.chat != nil {
                    try await self.schedule.clock.sleep(for: .seconds(1))
                }
            }
            let chat = try await self.alice.call(self.bob.radio.peer)
            let text = self.newText("a")
            self.sent[text] = chat.peer
            try await chat.send(text)
            self.confirmed[text] = chat.peer
            await chat.leave()
        }
    }

    private func end() {
        calls.perform("stop") {
            await self.alice.stop()
            await self.bob.stop()
            await self.carol.stop()
        }
        schedule.settle()
        order.end()
        for app in [bob, carol] {
            let mine = sent.filter { $0.value == app.radio.peer }.keys
            let wrong = app.received.filter { !mine.contains($0) }
            if !wrong.isEmpty {
                schedule.fault("\(app.name) has read what was for another: \(wrong)")
            }
            if Set(app.received).count != app.received.count {
                schedule.fault("\(app.name) has a text twice: \(app.received)")
            }
            for (text, peer) in confirmed
            where peer == app.radio.peer && !app.received.contains(text) {
                schedule.fault("\(text) was confirmed, and \(app.name) does not have it")
            }
        }
        events?.cancel()
        weak let messenger = people?.alice
        people = nil
        schedule.settle()
        if messenger != nil { schedule.fault("something holds the messenger still") }
    }
}
