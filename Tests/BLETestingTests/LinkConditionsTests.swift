import BLE
import TestThreads
import Testing

@testable import BLETesting

@Suite("The conditions between two radios", .timeLimit(.minutes(10)))
struct LinkConditionsTests {
    private static let route = Route(from: PeerID(rawValue: "A"), to: PeerID(rawValue: "B"))
    private static let channel = Deliveries.Channel(route: route, kind: .connection)

    private static var bad: LinkConditions {
        var conditions = LinkConditions()
        conditions.lostCommandShare = 0.1
        conditions.doubledCommandShare = 0.1
        conditions.overtakingCount = 3
        conditions.latency = .milliseconds(5) ... .milliseconds(40)
        conditions.bytesPerSecond = 20_000
        return conditions
    }

    /// When which of 200 commands arrive that are sent one each millisecond.
    private static func trace(seed: UInt64?, _ conditions: LinkConditions) -> [String] {
        var deliveries = Deliveries(seed: seed)
        deliveries.conditions[route] = conditions
        let target = Target(publication: 1, id: Sample.command)
        var trace: [String] = []
        func deliver(_ now: Duration) {
            while let next = deliveries.next(at: now) {
                guard case .packet(_, .command(_, let value)) = next.content else { continue }
                trace.append("\(value[0]) at \(now)")
            }
        }
        for number in UInt8(0)..<200 {
            let now = Duration.milliseconds(Int(number))
            deliver(now)
            deliveries.add(.packet(1, .command(target, [number])), to: channel, nil, at: now)
        }
        while let due = deliveries.nextDue { deliver(due) }
        return trace
    }

    private static func numbers(_ trace: [String]) -> [Int] {
        trace.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
    }

    @Test(.ownThread) func `have the same outcome with the same seed, a thousand times`() {
        let first = Self.trace(seed: 7, Self.bad)
        for _ in 0..<1_000 { #expect(Self.trace(seed: 7, Self.bad) == first) }
        #expect(Set((0..<100).map { Self.trace(seed: $0, Self.bad) }).count == 100)
        #expect(Self.trace(seed: nil, Self.bad) == Self.trace(seed: nil, Self.bad))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `lose and double the share that they say, and nothing without one`(seed: UInt64) {
        #expect(Self.numbers(Self.trace(seed: seed, LinkConditions())) == Array(0..<200))
        var lossy = LinkConditions()
        lossy.lostCommandShare = 0.3
        #expect((105...175).contains(Self.trace(seed: seed, lossy).count))
        var doubling = LinkConditions()
        doubling.doubledCommandShare = 0.3
        let numbers = Self.numbers(Self.trace(seed: seed, doubling))
        #expect((225...295).contains(numbers.count))
        #expect(Set(numbers) == Set(0..<200))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `let packets pass each other within their groups`(seed: UInt64) {
        var conditions = LinkConditions()
        conditions.overtakingCount = 3
        let numbers = Self.numbers(Self.trace(seed: seed, conditions))
        #expect(numbers.sorted() == Array(0..<200))
        #expect(numbers != numbers.sorted())
        for (place, number) in numbers.enumerated() { #expect(abs(place - number) <= 2) }
    }

    @Test func `delay what is sent, in its order`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        var conditions = LinkConditions()
        conditions.latency = .seconds(1) ... .seconds(1)
        await scene.air.simulateConditions(
            conditions,
            from: scene.peripheral,
            to: scene.central
        )
        for value in UInt8(0)..<3 { try await scene.publication.update(Sample.level, to: [value]) }
        let values = Task { await link.values(3) }
        await scene.clock.pass(.seconds(1))
        #expect(await values.value == [[0], [1], [2]])
    }

    /// As values for all, and for one central alone.
    @Test(arguments: [PublicationOptions(), .individualNotifications])
    func `hold up who sends more than a slow connection carries, and lose nothing`(
        options: PublicationOptions
    ) async throws {
        let scene = try await Scene(options: options)
        let link = try await scene.link()
        let values = try await link.notifications(of: Sample.level)
        var conditions = LinkConditions()
        conditions.bytesPerSecond = 100_000
        await scene.air.simulateConditions(
            conditions,
            from: scene.peripheral,
            to: scene.central
        )
        let count = 10_000
        let received = try await scene.clock.run {
            let sending = Task {
                for number in 0..<count {
                    let value = [UInt8(number % 256), UInt8(number / 256)]
                    if options.isEmpty {
                        try await scene.publication.update(Sample.level, to: value)
                    } else {
                        let central = scene.central.peer
                        try await scene.publication.notify(value, to: central, of: Sample.level)
                    }
                    let waiting = await scene.air.deliveryCount(
                        on: Route(from: scene.peripheral.peer, to: scene.central.peer)
                    )
                    #expect(waiting <= Deliveries.maximumDelayedCount)
                }
            }
            var received: [Int] = []
            for try await value in values {
                received.append(Int(value[0]) + 256 * Int(value[1]))
                if received.count == count { break }
            }
            try await sending.value
            return received
        }
        #expect(received == Array(0..<count))
    }

    @Test func `lose confirmations, or let them come late`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        var conditions = LinkConditions()
        conditions.confirmationDelay = .seconds(5) ... .seconds(5)
        await scene.air.simulateConditions(
            conditions,
            from: scene.central,
            to: scene.peripheral
        )
        let late = Task { try await scene.publication.indicate(Sample.alert, to: [1]) }
        await scene.clock.pass(.seconds(5))
        #expect(try await late.value == .confirmed)
        conditions.lostConfirmationShare = 1
        await scene.air.simulateConditions(
            conditions,
            from: scene.central,
            to: scene.peripheral
        )
        let lost = Task { try await scene.publication.indicate(Sample.alert, to: [2]) }
        await scene.clock.pass(.seconds(30))
        #expect(try await lost.value == .unconfirmed)
    }

    @Test func `lose notifications and advertisements`() async throws {
        let scene = try await Scene(seed: 3)
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        var conditions = LinkConditions()
        conditions.lostNotificationShare = 0.5
        conditions.doubledNotificationShare = 0.2
        conditions.lostAdvertisementShare = 1
        await scene.air.simulateConditions(
            conditions,
            from: scene.peripheral,
            to: scene.central
        )
        for value in UInt8(0)..<100 {
            try await scene.publication.update(Sample.level, to: [value])
        }
        await scene.air.simulateConditions(
            LinkConditions(),
            from: scene.peripheral,
            to: scene.central
        )
        try await scene.publication.update(Sample.level, to: [100])
        var received: [UInt8] = []
        for await case .notification(_, let value) in link.events {
            received.append(value[0])
            if value[0] == 100 { break }
        }
        #expect((40...80).contains(received.count))
        #expect(received == received.sorted())
        #expect(Set(received).count < received.count)
    }
}
