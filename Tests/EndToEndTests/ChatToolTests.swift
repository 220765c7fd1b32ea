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

    /// The connection of a chat that was left is about to end, and whoever calls does not lose the next chat with it.
    @Test(arguments: [true, false], [true, false])
    func `goes on when one calls at once after one has left`(
        callerLeaves: Bool,
        callerCalls: Bool
    ) async throws {
        try await check { world in
            let adapters = try await (
                Adapter.open("hci0", onBusAt: world.bus.rawValue),
                Adapter.open("hci1", onBusAt: world.bus.rawValue)
            )
            let alice = Messenger(radio: adapters.0, name: try ChatName("Alice"))
            let bob = Messenger(radio: adapters.1, name: try ChatName("Bob"))
            let (alices, bobs) = (await alice.events, await bob.events)
            try await alice.start()
            try await bob.start()
            let found = try await alice.find(named: "Bob", within: .seconds(60))
            let called = try await alice.call(found.id)
            try await called.send("one")
            let came = try await Self.nextText(bobs).1
            let leaving = Task { await (callerLeaves ? called : came).leave() }
            for await case .ended(_, _) in callerCalls ? alices : bobs { break }
            let start = ContinuousClock.now
            let again =
                try await callerCalls ? alice.call(found.id) : bob.call(came.peer)
            // Longer than a connection lasts that is being ended.
            var count = 0
            while ContinuousClock.now - start < .seconds(8) {
                count += 1
                try await again.send("\(count)")
                #expect(try await Self.nextText(callerCalls ? bobs : alices).0 == "\(count)")
            }
            await leaving.value
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

    /// A bot in a line, which is asked ten times, by its like and as the original asks.
    @Test(arguments: [true, false])
    func `answers texts by a command`(isOriginal: Bool) async throws {
        try await check { world in
            let options = isOriginal ? ["--original"] : []
            let bot = try Tool(
                "bluechat",
                ["listen", "--adapter", "hci1", "--name", "Echo", "--json"]
                    + ["--exec", "echo \"$BLUECHAT_NAME:\"; tr a-z A-Z"] + options,
                bus: world.bus.rawValue
            )
            _ = try await bot.line(with: "ready")
            let adapter = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let alice = Messenger(
                radio: adapter,
                name: try ChatName("Alice"),
                isOriginal: isOriginal
            )
            let events = await alice.events
            try await alice.start()
            let chat = try await alice.call(
                alice.find(named: "Echo", within: .seconds(60)).id
            )
            for number in 1...10 {
                try await chat.send("text \(number)")
                let (answer, _) = try await Self.nextText(events)
                #expect(answer.hasSuffix(":\nTEXT \(number)"), "\(answer)")
                // With an original the name is what was seen advertised.
                if !isOriginal { #expect(answer.hasPrefix("Alice:")) }
            }
            await alice.stop()
            await adapter.close()
            bot.send(SIGTERM)
            let outcome = await bot.end()
            #expect(outcome.eventNames.filter { $0 == "answered" }.count == 10, "\(outcome)")
        }
    }

    /// Somebody who listens answers without a name.
    @Test func `sends lines to whoever chats`() async throws {
        try await check { world in
            // The answer is written when the text has come.
            let listener = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    """
                    d=$(mktemp -d) && mkfifo $d/in && exec 3<>$d/in
                    "$0" listen --adapter hci1 --name Bob --json --once < $d/in | while read -r line
                    do echo "$line"; case $line in
                        *'"event":"text"'*) printf 'Alicia\\tfor her alone\nHello Alice\n' >&3 ;;
                    esac
                    done
                    rm -r $d
                    """,
                    Tool.folder.appendingPathComponent("bluechat").path,
                ],
                bus: world.bus.rawValue
            )
            _ = try await listener.line(with: "ready")
            let adapter = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let alice = Messenger(radio: adapter, name: try ChatName("Alice"))
            let events = await alice.events
            try await alice.start()
            let chat = try await alice.call(alice.find(named: "Bob", within: .seconds(60)).id)
            try await chat.send("Hi 👋")
            // What is for somebody unknown goes to nobody.
            #expect(try await Self.nextText(events).0 == "Hello Alice")
            await chat.leave()
            let outcome = await listener.end()
            #expect(outcome.status == 0)
            #expect(outcome.lines.contains { $0.contains("'Alicia' is no friend") }, "\(outcome)")
            await alice.stop()
            await adapter.close()
        }
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
