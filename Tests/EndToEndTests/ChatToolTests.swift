import BLE
import BLEDBus
import BlueChat
import BlueZ
import Foundation
import Testing

/// `bluechat`, as somebody at a shell runs it, and the library on two adapters.
@Suite("bluechat", .timeLimit(.oneCheck))
struct ChatToolTests {
    /// To each other, and as the original does.
    @Test(arguments: [[], ["--original"]])
    func `sends texts to who listens`(options: [String]) async throws {
        try await check { world in
            let listener = try Tool(
                "bluechat",
                ["listen", "--adapter", "hci1", "--name", "Bob", "--json", "--once"] + options,
                bus: world.bus.rawValue
            )
            _ = try await listener.line(with: "ready")
            let sender = try Tool(
                "bluechat",
                ["send", "--adapter", "hci0", "--name", "Alice", "--json", "--wait", "60"] + options
                    + ["Bob", "Hi 👋", "and a second one"],
                bus: world.bus.rawValue
            )
            let (sent, received) = (await sender.end(), await listener.end())
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == 0, "\(received)")
            let texts = received.events.filter { $0["event"] as? String == "text" }
            #expect(texts.compactMap { $0["text"] as? String } == ["Hi 👋", "and a second one"])
            #expect(sent.eventNames.filter { $0 == "sent" }.count == 2)
            // Who is of ours has shown a key.
            let keys = (sent.events + received.events).filter { $0["event"] as? String == "began" }
                .map { $0["key"] as? String }
            #expect(keys.count == 2)
            #expect(keys.allSatisfy { ($0 != nil) == options.isEmpty })
            if options.isEmpty {
                #expect(texts.allSatisfy { $0["name"] as? String == "Alice" })
            }
        }
    }

    /// Texts both ways, and each of the two leaves once.
    @Test(arguments: [true, false], [true, false])
    func `chats both ways, until one of the two leaves`(
        callerLeaves: Bool,
        isOriginal: Bool
    ) async throws {
        try await check { world in
            let adapters = try await (
                Adapter.open("hci0", onBusAt: world.bus.rawValue),
                Adapter.open("hci1", onBusAt: world.bus.rawValue)
            )
            let alice = Messenger(
                radio: adapters.0,
                name: try ChatName("Alice"),
                isOriginal: isOriginal
            )
            let bob = Messenger(
                radio: adapters.1,
                name: try ChatName("Bob"),
                isOriginal: isOriginal
            )
            let (alices, bobs) = (await alice.events, await bob.events)
            try await alice.start()
            try await bob.start()
            let found = try await alice.find(named: "Bob", within: .seconds(60))
            let called = try await alice.call(found.id)
            try await called.send("Hi 👋")
            let (text, chat) = try await Self.nextText(bobs)
            #expect(text == "Hi 👋")
            #expect(chat.origin == .incoming)
            #expect((chat.key == nil) == isOriginal)
            try await chat.send("Hello Alice")
            #expect(try await Self.nextText(alices).0 == "Hello Alice")
            await (callerLeaves ? called : chat).leave()
            for await case .ended(_, let error) in alices {
                #expect(error == nil, "\(error as Any)")
                break
            }
            for await case .ended(_, let error) in bobs {
                #expect(error == nil, "\(error as Any)")
                break
            }
            await alice.stop()
            await bob.stop()
            await adapters.0.close()
            await adapters.1.close()
        }
    }

    private static func nextText(_ events: AsyncStream<ChatEvent>) async throws -> (String, Chat) {
        for await event in events {
            switch event {
            case .received(let text, let chat): return (text, chat)
            case .receivedMessage(let message, let chat):
                if case .text(let text) = message.content { return (text, chat) }
            default: continue
            }
        }
        throw CancellationError()
    }

    @Test func `says what is wrong, and ends with a status for it`() async throws {
        try await check { world in
            for (arguments, status, words) in [
                (["send", "--wait", "1", "Carol", "Hi"], 68, "nobody of the name 'Carol'"),
                (["send", "--adapter", "hci77", "Carol", "Hi"], 69, "hci77"),
                (["listen", "--name", "seventeen letters"], 64, "17 characters"),
                (["who", "--wait", "0"], 64, "--wait"),
            ] as [([String], Int32, String)] {
                let tool = try Tool("bluechat", arguments, bus: world.bus.rawValue)
                let outcome = await tool.end()
                #expect(outcome.status == status, "\(arguments): \(outcome)")
                #expect(outcome.errors.contains(words), "\(arguments): \(outcome)")
            }
        }
    }
}
