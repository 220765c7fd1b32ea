import BLE
import BLETesting
import BlueChat
import BlueChatStore
import Testing

@testable import BlueChatAccount

@Suite("An account that is started and stopped", .timeLimit(.minutes(10)))
struct StartingTests {
    @Test func `is started once, by however many at once`() async throws {
        for _ in 0..<20 {
            let scene = AccountScene()
            let alice = try await scene.open("Alice")
            let events = await alice.events
            try await scene.pass {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<4 { group.addTask { try await alice.start() } }
                    try await group.waitForAll()
                }
                await alice.stop()
            }
            var readyCount = 0
            for await case .chat(let event) in events {
                if case .becameReady = event { readyCount += 1 }
                if case .becameUnready = event { break }
            }
            #expect(readyCount == 1)
            await alice.store.close()
        }
    }

    @Test func `is stopped also when it was stopped while it began`() async throws {
        for _ in 0..<20 {
            let scene = AccountScene()
            let alice = try await scene.open("Alice")
            try await scene.pass {
                async let stopped: Void = alice.stop()
                do {
                    try await alice.start()
                } catch let error as ChatError {
                    #expect(error.code == .notReady)
                }
                await stopped
                await alice.stop()
            }
            #expect(await alice.messenger.isReady == false)
            await alice.store.close()
        }
    }

    @Test func `hears and calls others when it was started while a stop was under way`()
        async throws
    {
        let scene = AccountScene()
        var timeouts = ChatTimeouts()
        timeouts.leaving = .seconds(29)
        let radio = await scene.radio(of: "Bob")
        let alice = try await scene.open("Alice", timeouts: timeouts)
        let bob = try await scene.open("Bob", on: radio)
        for account in [alice, bob] { try await account.start() }
        _ = try await scene.call("Bob", from: alice)
        // Leaving takes as long as it may.
        await radio.simulateReplies(false)
        let stop = Task { await alice.stop() }
        await scene.clock.waitForSleeper(for: .seconds(29))
        let start = Task { try await alice.start() }
        try await scene.pass {
            await stop.value
            try await start.value
        }
        await radio.simulateReplies(true)
        let bobs = try await scene.call("Bob", from: alice)
        #expect(bobs == .key(bob.messenger.key))
        try await scene.close(alice, bob)
    }
}
