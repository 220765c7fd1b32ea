import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("A search", .timeLimit(.minutes(10)))
struct SearchTests {
    private static func advertisement(_ name: String) -> Advertisement {
        Advertisement(localName: name, serviceUUIDs: [ChatService.uuid])
    }

    /// Who comes and goes, in order, until there are so many.
    private static func steps(_ count: Int, of events: AsyncStream<ChatEvent>) async -> [String] {
        var steps: [String] = []
        for await event in events {
            switch event {
            case .discovered(let chatter): steps.append("\(chatter.name) is there")
            case .lost(let chatter): steps.append("\(chatter.name) is gone")
            default: continue
            }
            if steps.count == count { break }
        }
        return steps
    }

    @Test func `begins anew, with nobody`() async throws {
        let scene = try await ChatScene()
        let advertising = try await scene.bobRadio.advertise(Self.advertisement("Bob"))
        let alice = scene.alice
        let events = await alice.events
        await alice.search()
        let first = try await scene.pass { await Self.steps(1, of: events) }
        #expect(first == ["Bob is there"])
        await alice.search()
        let steps = try await scene.pass { await Self.steps(2, of: events) }
        #expect(steps == ["Bob is gone", "Bob is there"])
        await alice.stopSearching()
        await advertising.stop()
    }

    @Test func `passes over who has no name, until they have one`() async throws {
        let scene = try await ChatScene()
        let advertising = try await scene.bobRadio.advertise(Self.advertisement(""))
        let alice = scene.alice
        let events = await alice.events
        await alice.search()
        // It is seen, without a name.
        let sightings = try await scene.aliceRadio.scan(ScanFilter(service: ChatService.uuid))
        let name = try await scene.pass {
            for try await case .seen(let sighting) in sightings { return sighting.name }
            throw CancellationError()
        }
        #expect(name.isEmpty)
        #expect(await alice.nearby.isEmpty)
        try await advertising.update(Self.advertisement("Bob"))
        let steps = try await scene.pass { await Self.steps(1, of: events) }
        #expect(steps == ["Bob is there"])
        await alice.stopSearching()
        await advertising.stop()
    }

    @Test func `has the name that somebody has now`() async throws {
        let scene = try await ChatScene()
        let advertising = try await scene.bobRadio.advertise(Self.advertisement("Bob"))
        let alice = scene.alice
        let events = await alice.events
        await alice.search()
        _ = try await scene.pass { await Self.steps(1, of: events) }
        try await advertising.update(Self.advertisement("Robert"))
        try await scene.pass {
            for await case .changed(let chatter) in events where chatter.name == "Robert" { break }
        }
        #expect(await alice.nearby.map(\.name) == ["Robert"])
        await alice.stopSearching()
        await advertising.stop()
    }

    @Test func `goes on when somebody was found, for whoever looks for another`() async throws {
        let scene = try await ChatScene()
        let (alice, clock) = (scene.alice, scene.clock)
        let first = Task { try await alice.find(named: "Bob", within: .seconds(3600)) }
        await clock.waitForSleeper(for: .seconds(3600))
        let second = Task { try await alice.find(named: "Robert", within: .seconds(7200)) }
        await clock.waitForSleeper(for: .seconds(7200))
        let advertising = try await scene.bobRadio.advertise(Self.advertisement("Bob"))
        #expect(try await scene.pass { try await first.value }.name == "Bob")
        try await advertising.update(Self.advertisement("Robert"))
        #expect(try await scene.pass { try await second.value }.name == "Robert")
        #expect(await alice.searching == nil)
        await advertising.stop()
    }

    @Test func `goes on when somebody was found, until it is stopped`() async throws {
        let scene = try await ChatScene()
        let alice = scene.alice
        let first = Task { try await alice.find(named: "Bob", within: .seconds(3600)) }
        await scene.clock.waitForSleeper(for: .seconds(3600))
        await alice.search()
        let advertising = try await scene.bobRadio.advertise(Self.advertisement("Bob"))
        #expect(try await scene.pass { try await first.value }.name == "Bob")
        #expect(await alice.searching != nil)
        await alice.stopSearching()
        #expect(await alice.searching == nil)
        await advertising.stop()
    }
}
