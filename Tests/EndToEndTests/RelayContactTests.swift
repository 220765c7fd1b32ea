import BLEDBus
import Foundation
import Testing

/// The contacts of `dim-relay`, as somebody at a shell makes them.
@Suite("dim-relay with contacts", .timeLimit(.oneCheck))
struct RelayContactTests {
    /// A user's link by a shell's `$(…)`, for which nothing else may be on standard output.
    @Test func `adds a contact by what its link command prints`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let alice = RelayUser(name: "alice", adapter: "hci0", bus: world.bus.rawValue)
            let bob = RelayUser(name: "bobby", adapter: "hci1", bus: world.bus.rawValue)
            _ = try await alice.link()
            let link = "dim-relay link --name bobby --store \(bob.folder.path)"
            let words = ["dim-relay add \"$(\(link))\" --json --store \(alice.folder.path)"]
            let shell = URL(fileURLWithPath: "/bin/sh")
            let added = try await Tool(shell, ["-c"] + words, bus: alice.bus).end()
            #expect(added.status == 0 && added.eventNames == ["added"], "\(added)")
            let fingerprint = try #require(added.events.first?["fingerprint"] as? String)
            #expect(added.errors.contains("fingerprint  \(fingerprint)"), "\(added)")
        }
    }

    /// A link as text from another program, or as a picture.
    @Test func `adds a contact by a line of input, and by a picture`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let alice = RelayUser(name: "alice", adapter: "hci0", bus: world.bus.rawValue)
            let bob = RelayUser(name: "bobby", adapter: "hci1", bus: world.bus.rawValue)
            _ = try await alice.link()
            let link = try await bob.link()
            let words = ["echo '\(link)' | dim-relay add - --json --store \(alice.folder.path)"]
            let shell = URL(fileURLWithPath: "/bin/sh")
            let added = try await Tool(shell, ["-c"] + words, bus: alice.bus).end()
            #expect(added.status == 0 && added.eventNames == ["added"], "\(added)")
            // Names are not anybody's own.
            let namesake = RelayUser(name: "bobby", adapter: "hci1", bus: world.bus.rawValue)
            let addresses = [added, try await alice.run("add", try await namesake.link())]
                .compactMap { $0.events.first?["contact"] as? String }
            let either = try await alice.run("messages", "bobby")
            #expect(either.status == 68 && either.errors.contains("say which"), "\(either)")
            for address in addresses {
                #expect(either.errors.contains(address))
                #expect(try await alice.run("remove", address).status == 0)
            }

            let picture = "\(bob.folder.path)/link.pbm"
            try QRPicture(of: link).write(to: picture)
            let add = "add --image '\(picture)' --json --store \(alice.folder.path)"
            let withoutReader = "tool=$(command -v dim-relay); PATH=/nowhere \"$tool\" \(add)"
            let unread = try await Tool(shell, ["-c", withoutReader], bus: alice.bus).end()
            #expect(unread.status == 69, "\(unread)")
            #expect(unread.events.last?["code"] as? String == "noReader")
            let missing = try await alice.run("add", "--image", picture + "?")
            #expect(missing.status == 66, "\(missing)")
            // Scripts/test installs it.
            let reader = "/usr/bin/zbarimg"
            guard FileManager.default.isExecutableFile(atPath: reader) else { return }
            let read = try await alice.run("add", "--image", picture)
            #expect(read.status == 0 && read.eventNames == ["added"], "\(read)")
            try QRPicture(of: "something else").write(to: picture)
            let other = try await alice.run("add", "--image", picture)
            #expect(other.status == 65, "\(other)")
            try Data("P1\n8 8\n\(String(repeating: "0 ", count: 64))".utf8)
                .write(to: URL(fileURLWithPath: picture))
            let blank = try await alice.run("add", "--image", picture)
            #expect(blank.status == 65, "\(blank)")
        }
    }

    /// A link with another key under the same address.
    @Test func `warns of a contact's other key`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let users = try await RelayUser.contacts(["alice", "bobby"], in: world)
            let (alice, bob) = (users[0], users[1])
            let other = RelayUser(name: "other", adapter: "hci1", bus: bob.bus)
            let (link, otherLink) = (try await bob.link(), try await other.link())
            let address = try #require(link.split(separator: "/").dropFirst().first)
            let key = try #require(otherLink.split(separator: "/").last)
            let node = try await alice.start()
            let refused = try await alice.run("add", "dim://\(address)//\(key)")
            #expect(refused.status == 65, "\(refused)")
            #expect(refused.events.last?["code"] as? String == "keyChanged")
            #expect(try await alice.run("verify", "bobby").events.first?["verified"] as? Int == 1)
            let replaced = try await alice.run("add", "dim://\(address)//\(key)", "--replace")
            #expect(replaced.status == 0, "\(replaced)")
            let contact = try await alice.run("contacts").events.first
            #expect(contact?["verified"] as? Int == 0)
            #expect(try await alice.run("remove", "bobby").status == 0)
            #expect(try await alice.run("contacts").events.isEmpty)
            await node.interrupt()
        }
    }
}
