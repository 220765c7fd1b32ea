import BLEDBus
import BlueChat
import Foundation
import Testing

/// `bluechat`, as somebody at a shell runs it, and the library on two adapters.
@Suite("bluechat", .timeLimit(.oneCheck))
struct ChatToolTests {
    @Test func `says when nobody can call, and when they can again`() async throws {
        try await check { world in
            let listener = try world.tool(
                "bluechat",
                "listen",
                "--adapter",
                "hci1",
                "--name",
                "Bob",
                "--json"
            )
            _ = try await listener.line(with: "\"ready\"")
            try await world.powerOff(1)
            _ = try await listener.line(with: "\"unready\"")
            try await world.powerOn(1)
            let sent = try await world.tool(
                "bluechat",
                "send",
                "--adapter",
                "hci0",
                "--name",
                "Alice",
                "--wait",
                "60",
                "Bob",
                "Hi"
            ).end()
            #expect(sent.status == 0, "\(sent)")
            listener.send(SIGTERM)
            let outcome = await listener.end()
            // That the search is interrupted comes before or after it.
            let states = outcome.eventNames.filter { ["ready", "unready"].contains($0) }
            #expect(states == ["ready", "unready", "ready"], "\(outcome)")
            let ready = outcome.events.filter { $0["event"] as? String == "ready" }
            #expect(ready.map { $0["name"] as? String } == ["Bob", "Bob"])
            let warnings = outcome.errors.split(separator: "\n")
            #expect(warnings == ["bluechat: Bluetooth is off"], "\(outcome)")
        }
    }

    @Test func `listens no longer than there is a radio`() async throws {
        try await check(virtualOnlyBecause: "all of the guest is on its bus") { world in
            let listener = try Tool(
                "bluechat",
                ["listen", "--adapter", "hci1", "--name", "Bob", "--json"],
                bus: world.bus.rawValue
            )
            try await listener.line(with: "\"ready\"")
            try #require(world as? VirtualWorld).endBus()
            let outcome = await listener.end()
            #expect(outcome.status == 69, "\(outcome)")
            #expect(outcome.events.last?["code"] as? String == "bluetoothAbsent", "\(outcome)")
        }
    }

    @Test func `says at once that Bluetooth is off, and begins when it is on`() async throws {
        let reason = "an emulated machine may take longer than the radio is waited for"
        try await check(virtualOnlyBecause: reason) { world in
            try await world.powerOff(1)
            let words = ["listen", "--adapter", "hci1", "--name", "Bob", "--json"]
            let listener = try Tool("bluechat", words, bus: world.bus.rawValue)
            _ = try await listener.line(with: "\"unready\"")
            try await world.powerOn(1)
            _ = try await listener.line(with: "\"ready\"")
            listener.send(SIGTERM)
            let outcome = await listener.end()
            #expect(outcome.eventNames == ["unready", "ready"], "\(outcome)")
        }
    }

    @Test func `lists who is nearby, and is seen by nobody`() async throws {
        try await checkChat { world, users in
            let bob = try await users.start("Bob", on: "hci1", isOriginal: false)
            await bob.messenger.search()
            let outcome = try await world.tool(
                "bluechat",
                "who",
                "--adapter",
                "hci0",
                "--wait",
                world.seconds(4),
                "--json"
            ).end()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.eventNames == ["nearby"], "\(outcome)")
            #expect(outcome.events.first?["name"] as? String == "Bob")
            #expect(await bob.messenger.nearby.isEmpty)
        }
    }

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

    @Test(arguments: [[], ["--original"]])
    func `says that a chat is not encrypted`(options: [String]) async throws {
        try await check { world in
            let listener = try Tool(
                "bluechat",
                ["listen", "--adapter", "hci1", "--name", "Bob", "--once"] + options,
                bus: world.bus.rawValue
            )
            _ = try await listener.errorLine(with: "listening")
            let sender = try Tool(
                "bluechat",
                ["send", "--adapter", "hci0", "--name", "Alice", "--wait", "60"] + options
                    + ["Bob", "Hi"],
                bus: world.bus.rawValue
            )
            for outcome in [await sender.end(), await listener.end()] {
                #expect(outcome.status == 0, "\(outcome)")
                #expect(outcome.errors.contains("a chat with"), "\(outcome)")
                let isWarned = outcome.errors.contains("(not encrypted)")
                #expect(isWarned != options.isEmpty, "\(outcome)")
            }
        }
    }

    /// Texts both ways, and each of the two leaves once.
    ///
    /// Between two real bluetoothds 5.66 the confirmation of what is indicated may be lost: Docs/Hardware.md.
    @Test(arguments: [true, false], [true, false])
    func `chats both ways, until one of the two leaves`(
        callerLeaves: Bool,
        isOriginal: Bool
    ) async throws {
        try await checkChat { _, users in
            let alice = try await users.start("Alice", on: "hci0", isOriginal: isOriginal)
            let bob = try await users.start("Bob", on: "hci1", isOriginal: isOriginal)
            let called = try await alice.call("Bob")
            try await called.send("Hi 👋")
            let (text, chat) = try await bob.nextTextAndChat()
            #expect(text == "Hi 👋")
            #expect(chat.origin == .incoming)
            #expect((chat.key == nil) == isOriginal)
            do {
                try await chat.send("Hello Alice")
            } catch let error as ChatError where isOriginal && error.code == .timedOut {
                // It has come all the same.
                try #require(WorldKind.name == "5.66", "\(error)")
            }
            #expect(try await alice.nextText() == "Hello Alice")
            await (callerLeaves ? called : chat).leave()
            #expect(try await alice.nextEnd() == nil)
            #expect(try await bob.nextEnd() == nil)
        }
    }

    /// The connection of a chat that was left is about to end, and whoever calls does not lose the next chat with it.
    @Test(arguments: [true, false], [true, false])
    func `goes on when one calls at once after one has left`(
        callerLeaves: Bool,
        callerCalls: Bool
    ) async throws {
        try await checkChat { _, users in
            let alice = try await users.start("Alice", on: "hci0", isOriginal: false)
            let bob = try await users.start("Bob", on: "hci1", isOriginal: false)
            let called = try await alice.call("Bob")
            try await called.send("one")
            let came = try await bob.nextTextAndChat().1
            let leaving = Task { await (callerLeaves ? called : came).leave() }
            let (calling, other) = callerCalls ? (alice, bob) : (bob, alice)
            _ = try await calling.nextEnd()
            let start = ContinuousClock.now
            let peer = callerCalls ? called.peer : came.peer
            let again = try await calling.messenger.call(peer)
            // Longer than a connection lasts that is being ended.
            var count = 0
            while ContinuousClock.now - start < .seconds(8) {
                count += 1
                try await again.send("\(count)")
                #expect(try await other.nextText() == "\(count)")
            }
            await leaving.value
        }
    }

    /// A bot in a line, which is asked ten times, by its like and as the original asks.
    @Test(arguments: [true, false])
    func `answers texts by a command`(isOriginal: Bool) async throws {
        try await checkChat { world, users in
            let options = isOriginal ? ["--original"] : []
            let bot = try Tool(
                "bluechat",
                ["listen", "--adapter", "hci1", "--name", "Echo", "--json"]
                    + ["--exec", "echo \"$BLUECHAT_NAME:\"; tr a-z A-Z"] + options,
                bus: world.bus.rawValue
            )
            _ = try await bot.line(with: "ready")
            let alice = try await users.start("Alice", on: "hci0", isOriginal: isOriginal)
            let chat = try await alice.call("Echo")
            for number in 1...10 {
                try await chat.send("text \(number)")
                let answer = try await alice.nextText()
                #expect(answer.hasSuffix(":\nTEXT \(number)"), "\(answer)")
                // With an original the name is what was seen advertised.
                if !isOriginal { #expect(answer.hasPrefix("Alice:")) }
            }
            await alice.end()
            bot.send(SIGTERM)
            let outcome = await bot.end()
            #expect(outcome.eventNames.filter { $0 == "answered" }.count == 10, "\(outcome)")
        }
    }

    @Test func `says what becomes of texts to an original`() async throws {
        try await checkChat(adapters: 3) { world, users in
            let bot = try world.tool(
                "bluechat",
                "listen",
                "--adapter",
                "hci1",
                "--name",
                "Bob",
                "--json",
                "--exec",
                "cat"
            )
            _ = try await bot.line(with: "\"ready\"")
            let alice = try await users.start("Alice", on: "hci0")
            let chat = try await alice.call("Bob")
            try await chat.send("one")
            #expect(try await alice.nextText().hasPrefix("one"))
            // The confirmation may be lost between two bluetoothds 5.66: Docs/Hardware.md.
            let lost = ["\"unconfirmed\"", "did not confirm the text within 15 s"]
            let told = ["\"delivered\""] + (WorldKind.name == "5.66" ? lost : [])
            try await bot.line(withOneOf: told)
            await chat.leave()
            // Nothing is indicated while somebody else might read it.
            let stranger = try await RawCaller(world, on: "hci2")
            try await alice.call("Bob").send("two")
            let line = try await bot.line(with: "\"postponed\"")
            #expect(line.contains("notPrivate"), "\(line)")
            bot.send(SIGTERM)
            let outcome = await bot.end()
            #expect(outcome.errors.contains("a text waits"), "\(outcome)")
            await stranger.leave()
        }
    }

    /// Somebody who listens answers without a name.
    @Test func `sends lines to whoever chats`() async throws {
        try await checkChat { world, users in
            // The answer is written when the text has come.
            let listener = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    """
                    d=$(mktemp -d) && mkfifo $d/in && exec 3<>$d/in
                    "$0" listen --adapter hci1 --name Bob --json --once < $d/in | while read -r line
                    do echo "$line"; case $line in
                        *'"event":"text"'*) printf 'Alicia\\tfor her alone\nAlicia\\t\nHello Alice\n' >&3 ;;
                    esac
                    done
                    rm -r $d
                    """,
                    Tool.folder.appendingPathComponent("bluechat").path,
                ],
                bus: world.bus.rawValue
            )
            _ = try await listener.line(with: "ready")
            let alice = try await users.start("Alice", on: "hci0", isOriginal: false)
            let chat = try await alice.call("Bob")
            try await chat.send("Hi 👋")
            // What is for somebody unknown goes to nobody, nor does the name without a text.
            #expect(try await alice.nextText() == "Hello Alice")
            await chat.leave()
            let outcome = await listener.end()
            #expect(outcome.status == 0)
            #expect(outcome.lines.contains { $0.contains("'Alicia' is no friend") }, "\(outcome)")
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
