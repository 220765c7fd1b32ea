import BLEDBus
import BlueChat
import BlueChatStore
import Foundation
import Testing

/// What `bluechat` does with friends and messages, without and with a radio.
@Suite("bluechat's commands", .timeLimit(.oneCheck))
struct ChatCommandTests {
    /// A folder for stores, which goes with this.
    private final class Stores: Sendable {
        let path = "\(NSTemporaryDirectory())/chat-commands-\(UUID().uuidString)"

        deinit {
            _ = Result { try FileManager.default.removeItem(atPath: path) }
        }
    }

    private let stores = Stores()

    private func bluechat(_ words: String..., store: String = "alice") async throws -> Tool.Outcome
    {
        let options = ["--store", "\(stores.path)/\(store)"]
        return await (try Tool("bluechat", words + options, bus: nil)).end()
    }

    /// Bob, once he can be called.
    private func listen(_ words: String..., in world: any World) async throws -> Tool {
        let options = [
            "--adapter", "hci1", "--name", "Bob", "--json", "--store", "\(stores.path)/bob",
        ]
        let listener = try Tool("bluechat", ["listen"] + options + words, bus: world.bus.rawValue)
        try await listener.line(with: "ready")
        return listener
    }

    /// What becomes of what Alice sends.
    private func send(_ words: String..., in world: any World) async throws -> Tool.Outcome {
        let options = [
            "--adapter", "hci0", "--name", "Alice", "--wait", "60", "--store",
            "\(stores.path)/alice",
        ]
        let sender = try Tool("bluechat", ["send"] + options + words, bus: world.bus.rawValue)
        return await sender.end()
    }

    @Test func `add, rename, block and remove friends`() async throws {
        let added = try await bluechat("add", "Bob")
        #expect(added.status == 0, "\(added)")
        #expect(added.lines == ["Bob: added"])
        #expect(try await bluechat("rename", "Bob", "Robert").status == 0)
        #expect(try await bluechat("friends").lines == ["Robert  friend"])
        #expect(try await bluechat("block", "Robert").status == 0)
        #expect(try await bluechat("friends").lines == ["Robert  blocked"])
        #expect(try await bluechat("add", "Robert").status == 0)
        #expect(try await bluechat("friends").lines == ["Robert  friend"])
        #expect(try await bluechat("rename", "Robert").status == 0)
        let removed = try await bluechat("remove", "Bob", "--json")
        #expect(removed.eventNames == ["removed"])
        #expect(try await bluechat("friends").lines == [])
        for words in [["remove", "Bob"], ["block", "Bob"], ["history", "Bob"]] {
            let options = ["--store", "\(stores.path)/alice"]
            let outcome = await (try Tool("bluechat", words + options, bus: nil)).end()
            #expect(outcome.status == 68, "\(outcome)")
            #expect(outcome.errors.contains("no friend 'Bob'"))
        }
    }

    @Test(arguments: ["", " "])
    func `give no friend a name that cannot be seen`(name: String) async throws {
        #expect(try await bluechat("add", "Bob").status == 0)
        let outcome = try await bluechat("rename", "Bob", name)
        #expect(outcome.status == 64, "\(outcome)")
        #expect(try await bluechat("friends").lines == ["Bob  friend"])
    }

    @Test func `tell friends of one name apart by their keys`() async throws {
        let keys = (1...2).map { _ in ChatIdentity().key }
        let store = try await ChatStore.open(at: "\(stores.path)/alice/chat.db")
        for key in keys {
            try await store.addFriend(.key(key), toldName: "Bob", state: .confirmed)
        }
        await store.close()
        let digits = keys.map { "\(FriendID.key($0))" }
        let lines = try await bluechat("friends").lines
        #expect(Set(lines) == Set(digits.map { "Bob  friend  \($0)" }))
        #expect(try await bluechat("rename", "Bob", "Robert").status == 68)
        #expect(try await bluechat("rename", digits[0], "Robert").status == 0)
        #expect(try await bluechat("friends").lines.contains("Robert  friend  \(digits[0])"))
    }

    @Test(arguments: [["bluechat", "friends"], ["dim-relay", "contacts"], ["dim-relay", "link"]])
    func `say that a file is no folder for a store`(words: [String]) async throws {
        try FileManager.default.createDirectory(
            atPath: stores.path,
            withIntermediateDirectories: true
        )
        let path = "\(stores.path)/file"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let options = Array(words.dropFirst()) + ["--store", path]
        let outcome = await (try Tool(words[0], options, bus: nil)).end()
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.errors.contains("Not a directory"), "\(outcome)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
    }

    /// A folder that leads to itself lets not even root in.
    @Test func `say that the system does not allow them to read the store`() async throws {
        try FileManager.default.createDirectory(
            atPath: stores.path,
            withIntermediateDirectories: true
        )
        try FileManager.default.createSymbolicLink(
            atPath: "\(stores.path)/alice",
            withDestinationPath: "\(stores.path)/alice"
        )
        let outcome = try await bluechat("friends")
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("\(stores.path)/alice/chat.db"), "\(outcome)")
    }

    @Test func `show and search messages`() async throws {
        try await check { world in
            let listener = try await listen("--once", in: world)
            try await send("Bob", "Hi 👋", "Will it rain?", in: world).requireSuccess()
            try await listener.end().requireSuccess()
            let sent = try await bluechat("history", "Bob", "--json")
            #expect(sent.events.map { $0["text"] as? String } == ["Hi 👋", "Will it rain?"])
            #expect(sent.events.allSatisfy { $0["direction"] as? String == "outgoing" })
            #expect(sent.events.allSatisfy { $0["state"] as? String == "delivered" })
            let found = try await bluechat("history", "--search", "rain", store: "bob")
            #expect(found.lines.count == 1)
            #expect(found.output.hasSuffix("Alice: Will it rain?\n"), "\(found)")
            #expect(try await bluechat("history", "--search", "snow", store: "bob").lines == [])
            #expect(try await bluechat("history", "--count", "0").status == 64)
        }
    }

    /// With a number it would be longer than a name may be.
    @Test func `keep files of one name, however long it is`() async throws {
        try await check { world in
            let name = String(repeating: "ä", count: 125) + ".json"
            let path = "\(stores.path)/\(name)"
            try FileManager.default.createDirectory(
                atPath: stores.path,
                withIntermediateDirectories: true
            )
            try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
            let files = "\(stores.path)/a/files"
            let listener = try await listen("--once", "--files", files, in: world)
            try await send("--file", path, "--file", path, "Bob", in: world).requireSuccess()
            try await listener.end().requireSuccess()
            let kept = try FileManager.default.contentsOfDirectory(atPath: files)
            let second = String(repeating: "ä", count: 124) + "-2.json"
            #expect(Set(kept) == [name, second])
        }
    }

    @Test func `say at once that files cannot be kept`() async throws {
        #expect(try await bluechat("friends").status == 0)
        let folder = "\(stores.path)/alice/chat.db"
        for (files, reason) in [
            (folder, "Not a directory"), ("\(folder)/files", "Not a directory"),
            ("", "No such file or directory"),
        ] {
            let outcome = try await bluechat("listen", "--files", files)
            #expect(outcome.status == 73, "\(outcome)")
            #expect(outcome.errors.contains(reason), "\(outcome)")
        }
    }

    @Test func `send no pipe, to which nobody may ever write`() async throws {
        try await check { world in
            let pipe = "\(stores.path)/alice/pipe"
            #expect(try await bluechat("friends").status == 0)
            #expect(mkfifo(pipe, 0o600) == 0)
            let listener = try await listen("--once", in: world)
            let sent = try await send("--file", pipe, "Bob", in: world)
            // Who has sent nothing leaves a listener that waits.
            try #require(sent.status == 66, "\(sent)")
            #expect(sent.errors.contains("'\(pipe)' is not a file"), "\(sent)")
            try await listener.end().requireSuccess()
        }
    }

    @Test func `show what has failed, and what was deleted`() async throws {
        let bob = FriendID.address("Bob")
        let store = try await ChatStore.open(at: "\(stores.path)/alice/chat.db")
        try await store.addFriend(bob, toldName: "Bob", state: .confirmed)
        let own = try await store.add(NewMessage(text: "Hi"), to: bob).message.id
        try await store.setState(.failed("too far"), of: own, to: bob)
        let other = try await store.add(NewMessage(text: "secret"), from: bob).message.id
        try await store.delete(other, with: bob, by: .incoming)
        await store.close()
        let events = try await bluechat("history", "--json").events
        #expect(events.map { $0["state"] as? String } == ["failed", nil])
        #expect(events.map { $0["reason"] as? String } == ["too far", nil])
        #expect(events.map { $0["deleted"] as? Int != nil } == [false, true])
        let lines = try await bluechat("history").lines
        try #require(lines.count == 2)
        #expect(lines[0].hasSuffix("to Bob: Hi (failed: too far)"))
        #expect(lines[1].hasSuffix("Bob: (deleted)"))
    }

    /// The one that was said last, else as much of the account's as a name may have.
    @Test func `have a name without being told one`() async throws {
        try await check { world in
            let account = ProcessInfo.processInfo.environment["USER"] ?? ""
            let own = try? ChatName(String(account.prefix(ChatName.maximumLength)))
            let runs: [(options: [String], name: String)] = [
                ([], own?.text ?? "bluechat"), (["--name", "Bob"], "Bob"), ([], "Bob"),
            ]
            for (options, name) in runs {
                let words = ["listen", "--adapter", "hci1", "--json", "--store"]
                let listener = try Tool(
                    "bluechat",
                    words + ["\(stores.path)/named"] + options,
                    bus: world.bus.rawValue
                )
                _ = try await listener.line(with: "\"ready\"")
                listener.send(SIGTERM)
                let outcome = await listener.end()
                #expect(outcome.events.first?["name"] as? String == name, "\(outcome)")
            }
        }
    }

    /// Who is near, and takes nothing.
    @Test func `keep all that a friend did not get`() async throws {
        try await check { world in
            let first = try await listen(in: world)
            try await send("Bob", "1", in: world).requireSuccess()
            first.send(SIGTERM)
            _ = await first.end()
            #expect(try await bluechat("block", "Alice", store: "bob").status == 0)
            let second = try await listen(in: world)
            let refused = try await send("Bob", "2", "3", "4", in: world)
            #expect(refused.status == 75, "\(refused)")
            #expect(refused.errors.contains("what was to be sent waits"), "\(refused)")
            second.send(SIGTERM)
            _ = await second.end()
            let sent = try await bluechat("history", "Bob", "--json")
            #expect(sent.events.map { $0["text"] as? String } == ["1", "2", "3", "4"])
            #expect(
                sent.events.map { $0["state"] as? String }
                    == ["delivered", "waiting", "waiting", "waiting"]
            )
        }
    }

    /// What `bluechat` prints is safe to print, and still what others read.
    @Test func `export lines of JSON, whatever somebody has said`() async throws {
        let path = "\(stores.path)/alice/chat.db"
        let store = try await ChatStore.open(at: path)
        // All that may be escaped, each after a letter.
        let numbers = [UInt32](0...0xA0) + [0x61C] + [UInt32](0x2000...0x2070)
        let scalars = numbers.compactMap(Unicode.Scalar.init) + ["👋"]
        let text = scalars.map { "a\($0)" }.joined()
        try await store.addFriend(.address("Bob"), toldName: "B\u{200F}ob", state: .confirmed)
        _ = try await store.add(NewMessage(text: text), from: .address("Bob"))
        await store.close()
        let outcome = try await bluechat("export")
        #expect(outcome.status == 0)
        let objects = try outcome.lines.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: any Sendable]
        }
        try #require(objects.count == 2)
        #expect(objects[0]?["toldName"] as? String == "B\u{200F}ob")
        let exported = try #require(objects[1]?["text"] as? String)
        #expect(exported.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    /// What is no whole copy is not taken for one.
    @Test func `export says that it cannot be written`() async throws {
        #expect(try await bluechat("add", "Bob").status == 0)
        let outcome = await
            (try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c", "exec \"$0\" export --store \"$1\" > /dev/full",
                    Tool.folder.appendingPathComponent("bluechat").path, "\(stores.path)/alice",
                ],
                bus: nil
            )).end()
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.errors.contains("standard output"), "\(outcome)")
    }

    /// As somebody does in two windows, without a word about folders.
    @Test func `keep what is the user's own, for one program at a time`() async throws {
        try await check { world in
            let listener = try Tool(
                "bluechat",
                ["listen", "--adapter", "hci1", "--name", "Bob", "--json", "--once"],
                bus: world.bus.rawValue,
                dataHome: stores.path
            )
            _ = try await listener.line(with: "ready")
            let sender = try Tool(
                "bluechat",
                [
                    "send", "--adapter", "hci0", "--name", "Alice", "--json", "--wait", "60", "Bob",
                    "Hi 👋",
                ],
                bus: world.bus.rawValue,
                dataHome: stores.path
            )
            let sent = await sender.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(sent.eventNames.prefix(2) == ["temporary", "ready"], "\(sent)")
            try await listener.end().requireSuccess()
            let history = await
                (try Tool(
                    "bluechat",
                    ["history", "--json"],
                    bus: nil,
                    dataHome: stores.path
                )).end()
            #expect(history.events.map { $0["text"] as? String } == ["Hi 👋"], "\(history)")
            #expect(history.events.map { $0["direction"] as? String } == ["incoming"])
            let friends = await (try Tool("bluechat", ["friends"], bus: nil)).end()
            #expect(friends.lines == [])
        }
    }
}
