import BLE
import BLESQLite
import BLEStorage
import BLETesting
import MeshRelay
import Testing

@testable import RelayAccount

@Suite("What an account gives up", .timeLimit(.minutes(10)))
struct GivingUpTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()

    /// An account that has started, and a message of it.
    private func waiting(
        at time: WallTime = .now,
        _ limits: RelayLimits = RelayLimits()
    ) async throws -> (RelayAccount, AsyncStream<RelayEvent>, StoredRelayMessage) {
        let store = try await folder.open()
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.bob)
        let message = try await store.addOutgoing("Hi", id: 7, to: Person.bob.address, at: time)
        let account = try await RelayAccount(
            store: store,
            radio: await MemoryAir(clock: clock).radio("alice"),
            limits: limits,
            clock: clock
        )
        let events = await account.events
        try await clock.run { try await account.start() }
        return (account, events, message)
    }

    private func end(_ account: RelayAccount) async throws {
        try await clock.run { await account.stop() }
        await account.store.close()
    }

    /// Lets 15 minutes pass, after which what waits is looked for; deleting old messages sleeps, too.
    private func passPause() async {
        await clock.waitForSleeper(for: Duration.seconds(600)...Duration.seconds(900), count: 2)
        await clock.advance(by: .seconds(900))
    }

    /// A day has passed while no program ran.
    @Test func `is older than a day at the start`() async throws {
        let now = WallTime.now.millisecondsSince1970
        let (account, events, message) = try await waiting(
            at: WallTime(millisecondsSince1970: now - 86_401_000)
        )
        for await case .failed(let id, _, let error) in events {
            #expect(id == message.messageID && error.code == .timedOut)
            break
        }
        #expect(try await account.store.message(message.number)?.status == .failed)
        try await end(account)
    }

    /// As when a machine without a clock of its own learns the time.
    @Test func `is not what the wall's clock says when it was set forward`() async throws {
        let (account, events, message) = try await waiting()
        let store = account.store
        // It is sent when the node is ready.
        while await account.node.counters.originated == 0 { await Task.yield() }
        try await store.setBack(message.number)
        for _ in 0..<4 { await passPause() }
        while await account.node.counters.originated < 2,
            try await store.message(message.number)?.status == .sent
        {
            await Task.yield()
        }
        #expect(try await store.message(message.number)?.status == .sent)
        // A day by the clock of this process.
        while try await store.message(message.number)?.status == .sent { await passPause() }
        for await case .failed(let id, _, let error) in events {
            #expect(id == message.messageID && error.code == .timedOut)
            break
        }
        try await end(account)
    }

    /// It was looked for without a pause.
    @Test func `is sent again after a pause also by a node that keeps no packets`() async throws {
        var limits = RelayLimits()
        limits.queueTime = .zero
        let (account, _, message) = try await waiting(limits)
        while await account.node.counters.originated == 0 { await Task.yield() }
        for _ in 0..<4 { await passPause() }
        while await account.node.counters.originated < 2 { await Task.yield() }
        #expect(try await account.store.message(message.number)?.status == .sent)
        try await end(account)
    }

    /// As after a change of the user's name, or of the generation, or with another neighbour than it was written for.
    @Test func `fails at once when it does not fit, and why is told`() async throws {
        let store = try await folder.open()
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.bob)
        // More than a packet has room for beside the rest.
        let text = String(repeating: "x", count: 400)
        let contact = Person.bob.address
        _ = try await store.addOutgoing(text, id: 7, to: contact)
        let air = MemoryAir(clock: clock)
        let account = try await RelayAccount(
            store: store,
            radio: await air.radio("alice"),
            clock: clock
        )
        let events = await account.events
        let error = try await clock.run {
            try await account.start()
            for await case .failed(let id, let receiver, let error) in events {
                #expect(id == 7 && receiver == contact)
                return error
            }
            throw CancellationError()
        }
        #expect(error.code == .tooLong)
        #expect(try await store.messages(with: contact).map(\.status) == [.failed])
        try await clock.run { await account.stop() }
        await store.close()
    }
}

extension RelayStore {
    /// As if a message had been sent two days before.
    fileprivate func setBack(_ number: Int64) throws {
        try write("set a time back") { database in
            try database.run(
                "UPDATE message SET time = time - 172800000 WHERE number = ?",
                [.integer(number)]
            )
        }
    }
}
