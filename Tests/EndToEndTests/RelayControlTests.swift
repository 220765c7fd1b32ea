import BLEDBus
import Dispatch
import Foundation
import Testing

/// What commands are told over the socket of a node.
@Suite("dim-relay's commands and its node", .timeLimit(.oneCheck))
struct RelayControlTests {
    private static func unreadCount(_ user: RelayUser) async throws -> Int? {
        try await user.run("contacts").events.first?["unread"] as? Int
    }

    @Test func `mark as read what they have shown`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let users = try await RelayUser.contacts(["alice", "bobby"], in: world)
            let (alice, bob) = (users[0], users[1])
            let nodes = [try await alice.start(), try await bob.start()]
            for text in ["one", "two", "three"] {
                try await alice.send(text, to: "bobby", "--wait", "60").requireSuccess()
            }
            #expect(try await Self.unreadCount(bob) == 3)
            let shown = try await bob.run("messages", "alice", "--count", "1")
            #expect(shown.events.compactMap { $0["text"] as? String } == ["three"], "\(shown)")
            #expect(try await Self.unreadCount(bob) == 2)
            await nodes[1].interrupt()
            // The same without a node.
            #expect(try await bob.run("messages", "alice", "--count", "2").status == 0)
            #expect(try await Self.unreadCount(bob) == 1)
            await nodes[0].interrupt()
        }
    }

    @Test func `name in the help what a store tells of itself`() async throws {
        let folder = RelayUser.Folder()
        let help = await (try Tool("dim-relay", ["--help"], bus: nil)).end().output
        for words in [["link", "--name", "alice"], ["erase", "--yes"]] {
            let options = ["--json", "--store", folder.path]
            let outcome = await (try Tool("dim-relay", words + options, bus: nil)).end()
            let name = try #require(outcome.eventNames.first, "\(outcome)")
            #expect(help.contains("\"event\":\"\(name)\""), "\(name)")
        }
    }

    /// As when systemd stops it: the message goes on waiting.
    @Test func `say that a message waits when the node ends`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let alice = try await RelayUser.contacts(["alice", "bobby"], in: world)[0]
            let node = try await alice.start()
            let words = ["send", "bobby", "Hi", "--wait", "3600", "--json", "--store"]
            let sending = try Tool("dim-relay", words + [alice.folder.path], bus: alice.bus)
            try await sending.line(with: "\"sent\"")
            node.send(SIGTERM)
            let sent = await sending.end()
            #expect(sent.status == 75, "\(sent)")
            #expect(sent.events.last?["code"] as? String == "nodeEnded")
            #expect(sent.errors.contains("waits in the store"), "\(sent)")
            let ended = await node.end()
            #expect(ended.status == 143 && ended.eventNames.last == "counters", "\(ended)")
        }
    }

    /// One that is stopped, or whose output nobody reads: it must not take a part for the whole.
    @Test func `are not told that all is done when they have not taken all`() async throws {
        try await check(virtualOnlyBecause: "it needs no radio") { world in
            let alice = try await RelayUser.contacts(["alice", "bobby"], in: world)[0]
            let node = try await alice.start()
            // More than a socket holds: JSON has six bytes for each.
            let text = String(repeating: "\u{1}", count: 30)
            for _ in 0..<5 {
                let texts = Array(repeating: text, count: 100)
                let words = ["send", "bobby"] + texts + ["--wait", "0", "--json", "--store"]
                let tool = try Tool("dim-relay", words + [alice.folder.path], bus: alice.bus)
                try await tool.end().requireSuccess()
            }
            let request = #"{"messages":{"contact":"bobby","count":500}}"#
            let stalled = try ControlConnection(in: alice.folder.path)
            #expect(stalled.send(request))
            let part = await stalled.contentsOnceClosed()
            #expect(!part.isEmpty && !part.contains(#"{"done""#))
            let reading = try ControlConnection(in: alice.folder.path)
            #expect(reading.send(request))
            let whole = await reading.contents()
            #expect(whole.count > part.count && whole.hasSuffix("{\"done\":{}}\n"))
            await node.interrupt()
        }
    }
}

/// A command that does not read when it should.
private final class ControlConnection: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "a command")

    init(in folder: String) throws {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: "\(folder)/control".utf8.prefix($0.count - 1))
        }
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }

    deinit { close(descriptor) }

    func send(_ line: String) -> Bool {
        let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
        return write(descriptor, bytes, bytes.count) == bytes.count
    }

    /// What has come, as soon as the other end has ended the connection.
    func contentsOnceClosed() async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var state = pollfd(fd: descriptor, events: 0, revents: 0)
                while poll(&state, 1, -1) < 0 && errno == EINTR {}
                continuation.resume()
            }
        }
        return await contents()
    }

    /// What comes until the end.
    func contents() async -> String {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                var contents: [UInt8] = []
                var bytes = [UInt8](repeating: 0, count: 65_536)
                while case let count = read(descriptor, &bytes, bytes.count), count > 0 {
                    contents += bytes.prefix(count)
                }
                continuation.resume(returning: String(decoding: contents, as: UTF8.self))
            }
        }
    }
}
