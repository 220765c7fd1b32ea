import BLE
import BLEDBus
import BLELocking
import BlueChat
import BlueChatAccount
import BlueChatStore
import BlueZ
import Foundation
import Testing

/// Two accounts whose connection is lost again and again.
///
/// `CHAT_MESSAGES=10000` sends so many; a connection lasts 3 s, and every second one as long as it takes until there is
/// a chat besides.
@Suite("Chats over connections that are lost", .timeLimit(.minutes(30)))
struct ChatLossTests {
    private static let wantedCount = ProcessInfo.processInfo.environment["CHAT_MESSAGES"]
        .flatMap { Int($0) }

    @Test(arguments: [false, true])
    func `lose nothing, double nothing and keep the order`(isLost: Bool) async throws {
        try await check(isLost ? "with losses" : "without losses") { world in
            let folder = "\(NSTemporaryDirectory())/chat-\(UUID().uuidString)"
            defer { _ = Result { try FileManager.default.removeItem(atPath: folder) } }
            let count = Self.wantedCount ?? 100
            let life =
                Self.wantedCount == nil
                ? Duration.milliseconds(300) * WorldKind.current.slowness : .seconds(3)
            let (aliceEnd, alice) = try await Self.open("Alice", "hci0", in: folder, world)
            let (bobEnd, bob) = try await Self.open("Bob", "hci1", in: folder, world)
            // Of a stranger less is kept than may be sent here.
            try await bob.store.addFriend(
                .key(alice.messenger.key),
                toldName: "Alice",
                state: .confirmed
            )
            let found = try await alice.find(named: "Bob", within: .seconds(60))
            let friend = alice.friend(of: try await alice.call(found.id))

            let lossCount = Locked(0)
            let deathCount = Locked(0)
            let events = await alice.events
            let counting = Task {
                for await case .chat(.ended) in events { lossCount.withLock { $0 += 1 } }
            }
            let loss = Task {
                var isPatient = false
                while isLost {
                    try await Task.sleep(for: life)
                    // bluetoothd dies when a write has no reply yet.
                    if try await world.reviveDaemon() { deathCount.withLock { $0 += 1 } }
                    let beginnings = await alice.events
                    do {
                        try await world.endLink(from: 1, to: 0)
                    } catch is ErrorReply {
                        // There is none at the moment.
                    }
                    // Every second one lasts until there is a chat over it, however slow the machine is.
                    if isPatient { try await Self.waitForChat(beginnings) }
                    isPatient.toggle()
                }
            }
            let begin = ContinuousClock.now
            let deliveries = await alice.events
            for number in 0..<count { try await alice.send("\(number)", to: friend) }
            while try await alice.store.waitingCounts()[friend] != nil {
                for await case .store(.messageChanged) in deliveries { break }
            }
            let time = ContinuousClock.now - begin
            loss.cancel()
            counting.cancel()
            let texts = try await Self.texts(of: alice.messenger.key, at: bob)
            #expect(texts == (0..<count).map { "\($0)" })
            let rate = Int(Double(count) / (time / .seconds(1)))
            print(
                "chat: \(count) messages in \(time), \(rate) a second, "
                    + "\(lossCount.withLock(\.self)) connections lost, "
                    + "bluetoothd died \(deathCount.withLock(\.self)) times"
            )
            await alice.stop()
            await bob.stop()
            for end in [aliceEnd, bobEnd] { await end.close() }
            for account in [alice, bob] { await account.store.close() }
            guard isLost else { return }
            // It may die yet, 5 s after the last loss, if it has not.
            do {
                _ = try await world.reviveDaemon()
                try await world.killDaemon()
            } catch is ErrorReply {
                // Just now.
            }
        }
    }

    /// Waits until a chat begins; not for long, as bluetoothd may have died.
    private static func waitForChat(_ events: AsyncStream<ChatAccountEvent>) async throws {
        let limit = Duration.seconds(5) * WorldKind.current.slowness
        _ = try await withTimeLimit(limit, on: ContinuousClock()) {
            for await case .chat(.began) in events { break }
        }
    }

    private static func open(
        _ name: String,
        _ adapter: String,
        in folder: String,
        _ world: any World
    ) async throws -> (Adapter, ChatAccount) {
        let radio = try await Adapter.open(adapter, onBusAt: world.bus.rawValue)
        let store = try await ChatStore.open(at: "\(folder)/\(name).db")
        let account = try await ChatAccount(
            store: store,
            radio: radio,
            name: try ChatName(name)
        )
        try await account.start()
        return (radio, account)
    }

    private static func texts(
        of key: ChatKey,
        at account: ChatAccount
    ) async throws -> [String] {
        var texts: [String] = []
        var last: MessageID?
        while true {
            let page = try await account.store.messages(
                with: .key(key),
                after: last,
                count: 500
            )
            texts += page.messages.map(\.text)
            last = page.messages.last?.id
            if !page.hasMore { return texts }
        }
    }
}
