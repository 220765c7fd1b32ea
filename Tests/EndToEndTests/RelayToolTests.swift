import BLEDBus
import Foundation
import Testing

/// `dim-relay`, as somebody at a shell runs it.
@Suite("dim-relay", .timeLimit(.oneCheck))
struct RelayToolTests {
    private static func users(_ world: any World) async throws -> (RelayUser, RelayUser) {
        let users = try await RelayUser.contacts(["alice", "bobby"], in: world)
        return (users[0], users[1])
    }

    private static func status(_ event: [String: any Sendable]) -> String? {
        event["status"] as? String
    }

    @Test func `sends messages by the nodes that run, and shows them`() async throws {
        try await check { world in
            let (alice, bob) = try await Self.users(world)
            let metrics = "\(alice.folder.path)/relay.prom"
            let nodes = (
                try await alice.start("--metrics", metrics),
                try await bob.start("--read-receipts")
            )
            let sent = try await alice.send("Hi 👋", to: "bobby", "--wait", "60")
            #expect(sent.status == 0, "\(sent)")
            #expect(sent.eventNames == ["sent", "delivered"])
            let line = try await nodes.1.line(with: "\"received\"")
            #expect(Tool.event(line)?["text"] as? String == "Hi 👋")
            let shown = try await bob.run("messages", "alice")
            #expect(shown.events.compactMap { $0["text"] as? String } == ["Hi 👋"])
            try await nodes.0.line(with: "\"read\"")
            let own = try await alice.run("messages", "bobby")
            #expect(own.events.compactMap(Self.status) == ["read"])
            let who = try await alice.run("who")
            #expect(who.eventNames.last == "counters", "\(who)")
            #expect(who.eventNames.contains("neighbour"), "\(who)")
            // Another program can't have the store meanwhile.
            let second = try await Tool(
                "dim-relay",
                ["node", "--adapter", "hci0", "--store", alice.folder.path, "--json"],
                bus: alice.bus
            ).end()
            #expect(second.status == 75, "\(second)")
            let outcomes = (await nodes.0.interrupt(), await nodes.1.interrupt())
            #expect(outcomes.0.status == 130 && outcomes.1.status == 130, "\(outcomes)")
            let counters = try #require(outcomes.1.events.last)
            let counts = [
                "delivered", "relayed", "known", "malformed", "neighbourRate", "senderRate",
                "noRoom",
            ]
            .compactMap { counters[$0] as? Int }
            #expect(counters["received"] as? Int == counts.reduce(0, +), "\(outcomes.1)")
            for reason in ["stranger", "notDecrypted", "copied", "unexpectedReceipt", "position"] {
                #expect(counters[reason] as? Int == 0, "\(outcomes.1)")
            }
            let text = try String(contentsOfFile: metrics, encoding: .utf8)
            #expect(text.contains("\ndim_relay_packets_originated_total 1\n"), "\(text)")
            let unsent = #"packets_unsent_total{reason="tooLong"} 0"#
            #expect(text.contains(unsent), "\(text)")
            let ignored = #"packets_ignored_total{reason="unexpectedReceipt"} 0"#
            #expect(text.contains(ignored), "\(text)")
            // The socket is gone with the node.
            let files = try FileManager.default.contentsOfDirectory(atPath: alice.folder.path)
            #expect(!files.contains("control"))
        }
    }

    @Test func `sends without a node that runs, and keeps what has not come`() async throws {
        try await check { world in
            let (alice, bob) = try await Self.users(world)
            let early = try await alice.send("early", to: "bobby", "--wait", "1")
            #expect(early.status == 75, "\(early)")
            #expect(early.eventNames == ["sent", "error"])
            let node = try await bob.start()
            let sent = try await alice.send("late", to: "bobby", "--wait", "60")
            #expect(sent.status == 0, "\(sent)")
            try await node.line(with: "\"early\"")
            let stored = try await alice.run("messages", "bobby")
            #expect(stored.events.compactMap { $0["text"] as? String } == ["early", "late"])
            await node.interrupt()
        }
    }

    /// As at the start of a machine, whose radio comes later.
    @Test func `serves other commands while it waits for its radio`() async throws {
        try await check { world in
            let (alice, bob) = try await Self.users(world)
            let receiver = try await bob.start()
            try await world.powerOff(0)
            let node = try Tool(
                "dim-relay",
                [
                    "node", "--adapter", "hci0", "--wait", "600", "--json", "--store",
                    alice.folder.path,
                ],
                bus: alice.bus
            )
            // From its start on.
            let contacts = try await alice.run("contacts")
            #expect(contacts.status == 0 && contacts.eventNames == ["contact"], "\(contacts)")
            let socket = "\(alice.folder.path)/control"
            try await expected("the node's socket") {
                while !FileManager.default.fileExists(atPath: socket) {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            let who = try await alice.run("who")
            #expect(who.status == 69 && who.errors.contains("no radio yet"), "\(who)")
            let sending = try Tool(
                "dim-relay",
                ["send", "bobby", "Hi", "--wait", "240", "--json", "--store", alice.folder.path],
                bus: alice.bus
            )
            try await world.powerOn(0)
            let sent = await sending.end()
            #expect(sent.status == 0, "\(sent)")
            for tool in [node, receiver] { await tool.interrupt() }
        }
    }

    /// As a service it is started again then.
    @Test func `ends its node when the bus has ended`() async throws {
        try await check(virtualOnlyBecause: "all of the guest is on its bus") { world in
            let (alice, _) = try await Self.users(world)
            let node = try await alice.start()
            try #require(world as? VirtualWorld).endBus()
            let outcome = await node.end()
            #expect(outcome.status == 69, "\(outcome)")
            #expect(outcome.events.last?["code"] as? String == "bluetoothAbsent", "\(outcome)")
        }
    }

    /// What is sent is encrypted for whom the user has said last.
    @Test func `learns of contacts that change while it waits for its radio`() async throws {
        try await check { world in
            let alice = RelayUser(name: "alice", adapter: "hci0", bus: world.bus.rawValue)
            let bob = RelayUser(name: "bobby", adapter: "hci1", bus: world.bus.rawValue)
            let links = (try await alice.link(), try await bob.link())
            #expect(try await bob.run("add", links.0).status == 0)
            // Under Bob's address, with a key that nobody has.
            let other = RelayUser(name: "other", adapter: "hci1", bus: bob.bus)
            let key = try #require(try await other.link().split(separator: "/").last)
            let address = try #require(links.1.split(separator: "/").dropFirst().first)
            #expect(try await alice.run("add", "dim://\(address)//\(key)").status == 0)
            let receiver = try await bob.start()
            try await world.powerOff(0)
            let words = ["node", "--adapter", "hci0", "--wait", "600", "--json"]
            let node = try Tool(
                "dim-relay",
                words + ["--store", alice.folder.path],
                bus: alice.bus
            )
            try await expected("the node that waits") {
                while try await !alice.run("who").errors.contains("no radio yet") {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            let replaced = try await alice.run("add", links.1, "--replace")
            #expect(replaced.status == 0, "\(replaced)")
            try await world.powerOn(0)
            let sent = try await alice.send("Hi", to: "bobby", "--wait", "240")
            #expect(sent.status == 0, "\(sent)")
            for tool in [node, receiver] { await tool.interrupt() }
        }
    }

    /// Another command may just have it, or a node that ends.
    @Test func `waits for a store that is in use, and says so when that lasts`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let (alice, _) = try await Self.users(world)
            // Says when it has the lock, and keeps it until it is ended.
            let words = ["\(alice.folder.path)/relay.db-lock", "-c", "echo locked; exec sleep 60"]
            let flock = URL(fileURLWithPath: "/usr/bin/flock")
            let holder = try Tool(flock, ["--no-fork"] + words, bus: nil)
            try await holder.line(with: "locked")
            let late = try await alice.run("contacts")
            #expect(late.status == 75, "\(late)")
            #expect(late.events.last?["code"] as? String == "inUse")
            let commands = [["contacts"], ["node", "--adapter", "hci0"]]
            let tools = try commands.map { words in
                try Tool("dim-relay", words + ["--store", alice.folder.path], bus: alice.bus)
            }
            for tool in tools { try await tool.errorLine(with: "waiting for the store") }
            // Where tests run in the background, an interrupt is ignored by whatever does not ask for it.
            holder.send(SIGTERM)
            await holder.end()
            try await tools[1].errorLine(with: "is ready")
            try await tools[0].end().requireSuccess()
            await tools[1].interrupt()
        }
    }

    /// Each waits for an acknowledgement that does not come; whoever is interrupted makes room.
    @Test func `serves sixteen commands at once, and tells the next that it is busy`() async throws
    {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let (alice, _) = try await Self.users(world)
            let node = try await alice.start()
            var waiting: [Tool] = []
            for number in 0..<16 {
                let words = [
                    "send", "bobby", "\(number)", "--wait", "3600", "--json", "--store",
                    alice.folder.path,
                ]
                let tool = try Tool("dim-relay", words, bus: alice.bus)
                try await tool.line(with: "\"sent\"")
                waiting.append(tool)
            }
            let refused = try await alice.run("who")
            #expect(refused.status == 75, "\(refused)")
            #expect(refused.events.last?["code"] as? String == "busy")
            for tool in waiting { #expect(await tool.interrupt().status == 130) }
            // It learns of it in a moment.
            var outcome = try await alice.run("who")
            while outcome.status == 75 { outcome = try await alice.run("who") }
            #expect(outcome.status == 0, "\(outcome)")
            await node.interrupt()
        }
    }

    /// As a person at the shell makes them.
    @Test func `says what is wrong`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let (alice, bob) = try await Self.users(world)
            let node = try await alice.start()
            // The same with a node that runs, and without.
            for user in [alice, bob] {
                #expect(try await user.run("messages", "nobody").status == 68)
                #expect(try await user.run("add", "dim://nobody").status == 65)
                #expect(try await user.run("messages", "alice", "--count", "0").status == 64)
                #expect(try await user.run("erase").status == 64)
            }
            let own = try await alice.link()
            #expect(try await alice.run("add", own).status == 65)
            let empty = try await alice.send("", to: "bobby")
            #expect(empty.status == 65, "\(empty)")
            let long = try await alice.send(String(repeating: "a", count: 600), to: "bobby")
            #expect(long.status == 65, "\(long)")
            #expect(try await alice.run("erase", "--yes").status == 75)
            #expect(try await bob.run("who").status == 69)
            let changed = try await bob.run("link", "--name", "robert")
            #expect(changed.status == 64, "\(changed)")
            #expect(changed.errors.contains("can't write to you any more"))
            let renamed = try await bob.run("link", "--name", "robert", "--change-name")
            let address = renamed.events.first?["address"] as? String
            #expect(address?.hasPrefix("robert#") == true, "\(renamed)")
            // In a pipe only when it is asked for.
            for (flags, isShown) in [([], false), (["--qr"], true)] as [([String], Bool)] {
                let words = ["link", "--store", alice.folder.path] + flags
                let shown = try await Tool("dim-relay", words, bus: alice.bus).end()
                #expect(shown.output.contains("▀") == isShown, "\(shown)")
                #expect(shown.output.contains(own), "\(shown)")
            }
            #expect(try await alice.run("link", "--qr").status == 64)
            // A node that runs keeps its name.
            for flags in [[], ["--change-name"]] as [[String]] {
                let words = ["link", "--name", "robert", "--store", alice.folder.path] + flags
                let kept = try await Tool("dim-relay", words, bus: alice.bus).end()
                #expect(kept.status == 64 && kept.errors.contains("'alice'"), "\(kept)")
            }
            #expect(try await alice.link() == own)
            await node.interrupt()
            #expect(try await alice.run("erase", "--yes").status == 0)
            #expect(try await alice.link() != own)
        }
    }

    @Test func `says that its counters cannot be written`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let (alice, _) = try await Self.users(world)
            // Neither where there is no folder, nor in place of one.
            for path in ["\(alice.folder.path)/none/relay.prom", alice.folder.path] {
                let node = try await alice.sending("node", "--metrics", path)
                #expect(node.status == 73, "\(node)")
                #expect(node.events.last?["code"] as? String == "cannotCreate", "\(node)")
            }
        }
    }

    /// Of a file that may have 512 bytes, the first write is a part.
    @Test func `says why not all of its counters can be written`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let (alice, _) = try await Self.users(world)
            let node = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c", "trap '' XFSZ; ulimit -f 1; exec dim-relay \"$@\"", "sh", "node",
                    "--adapter", alice.adapter, "--store", alice.folder.path,
                    "--metrics", "\(alice.folder.path)/relay.prom",
                ],
                bus: alice.bus
            )
            let outcome = await node.end()
            #expect(outcome.status == 73, "\(outcome)")
            #expect(outcome.errors.contains("the counters to"), "\(outcome)")
            #expect(outcome.errors.contains("File too large"), "\(outcome)")
        }
    }

    @Test func `sends a message once more, deletes one and all`() async throws {
        try await check { world in
            let (alice, bob) = try await Self.users(world)
            let node = try await bob.start("--advertise", "somebody", "--keep-days", "30")
            let sent = try await alice.send("once", to: "bobby", "--wait", "60")
            let id = try #require(sent.events.first?["id"] as? Int, "\(sent)")
            let resent = try await alice.sending("resend", "bobby", "\(id)", "--wait", "60")
            #expect(resent.status == 0, "\(resent)")
            #expect(resent.eventNames == ["sent", "delivered"])
            let other = try #require(resent.events.first?["id"] as? Int)
            #expect(other != id)
            // By the node that runs, and without one.
            for user in [alice, bob] {
                let contact = user.name == "alice" ? "bobby" : "alice"
                #expect(try await user.texts(with: contact) == ["once", "once"])
                let deleted = try await user.run("delete", contact, "\(id)")
                #expect(deleted.status == 0 && deleted.eventNames == ["deleted"], "\(deleted)")
                #expect(try await user.texts(with: contact) == ["once"])
                let none = try await user.run("delete", contact, "\(id)")
                #expect(none.status == 68, "\(none)")
                #expect(none.events.last?["code"] as? String == "unknownMessage")
                #expect(try await user.run("clear", contact).status == 0)
                #expect(try await user.texts(with: contact) == [])
            }
            let none = try await alice.sending("resend", "bobby", "\(other)")
            #expect(none.status == 68, "\(none)")
            await node.interrupt()
        }
    }
}
