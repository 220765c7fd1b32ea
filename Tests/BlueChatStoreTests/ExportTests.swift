import BLEStorage
import Foundation
import Testing

@testable import BlueChatStore

@Suite("Export", .timeLimit(.minutes(10)))
struct ExportTests {
    private static func objects(_ lines: ExportLines) async throws -> [[String: any Sendable]] {
        var objects: [[String: any Sendable]] = []
        for try await line in lines {
            #expect(!line.contains { $0.isNewline })
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            objects.append(try #require(object as? [String: any Sendable]))
        }
        return objects
    }

    @Test func `has everything but the private key`() async throws {
        try await withStore { store in
            let identity = [UInt8](repeating: 0xAB, count: 32)
            try await store.setProfile(OwnProfile(name: "Al\"ice", identity: identity))
            try await store.addFriends()
            try await store.changeKey(of: bob, to: .address("Bob 2"))
            let text = "a\"b\\c\nd\r\u{2028}\0\u{7F}👋"
            let file = NewMessage.File(name: "f", content: Array("any carnal pleas".utf8))
            let time = WallTime(millisecondsSince1970: 5)
            let message = NewMessage(text: text, file: file, sent: time)
            _ = try await store.add(message, from: bob, at: time)
            let failed = try await store.add(NewMessage(text: "2", sent: time), to: carol).message
            try await store.setState(.failed("away"), of: failed.id, to: carol)

            let objects = try await Self.objects(store.export())
            #expect(
                objects.map { $0["type"] as? String }
                    == ["profile", "friend", "friend", "friend", "message", "message"]
            )
            #expect(objects[0]["name"] as? String == "Al\"ice")
            #expect(objects[0].count == 2)
            #expect(objects[2]["friend"] as? String == carol.description)
            #expect(objects[3]["predecessor"] as? String == "Bob")
            #expect(objects[4]["text"] as? String == text)
            #expect(objects[4]["file"] as? String == "YW55IGNhcm5hbCBwbGVhcw==")
            #expect(objects[4]["received"] as? Int == 5)
            #expect(objects[5]["state"] as? String == "failed")
            #expect(objects[5]["reason"] as? String == "away")
            let lean = try await Self.objects(store.export(withFiles: false))
            #expect(lean[4]["file"] == nil)
            #expect(lean[4]["fileSize"] as? Int == 16)
        }
    }

    @Test func `has nothing in it that a terminal obeys`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let text = "a\u{61C}\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}\u{1B}b\u{200D}"
            _ = try await store.receive(text)
            var last = ""
            for try await line in store.export() { last = line }
            #expect(
                last.contains(#"a\u061c\u200e\u200f\u202a\u202e\u2066\u2069\u001bb"#),
                "\(last)"
            )
            let objects = try await Self.objects(store.export())
            #expect(objects.last?["text"] as? String == text)
        }
    }

    @Test func `is read a part at a time`() async throws {
        try await withStore { store in
            try await store.addFriends()
            for number in 0..<450 { _ = try await store.receive("\(number)") }
            let texts = try await Self.objects(store.export()).compactMap { $0["text"] as? String }
            #expect(texts == (0..<450).map { "\($0)" })
        }
    }

    @Test func `of large files is read a file at a time`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let content = [UInt8](repeating: 1, count: StoreLimits.fileByteCount)
            for name in ["a", "b", "c"] {
                let file = NewMessage.File(name: name, content: content)
                _ = try await store.add(NewMessage(text: "", file: file), to: bob)
            }
            let batch = try await store.linesOfMessages(after: 0, withFiles: true)
            #expect(batch.lines.count == 1)
            let objects = try await Self.objects(store.export())
            #expect(objects.compactMap { $0["fileName"] as? String } == ["a", "b", "c"])
        }
    }

    @Test func `ends with an error when the store is closed`() async throws {
        let folder = TemporaryFolder()
        let store = try await ChatStore.open(at: folder.store)
        await store.close()
        let code = try await refusal { for try await _ in store.export() {} }
        #expect(code == .closed)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 255])
    func `writes bytes as others read them`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        #expect(bytes.base64 == Data(bytes).base64EncodedString())
    }
}
