import BLEStorage
import BlueChat
import Foundation
import Testing

@testable import BlueChatStore

@Suite("Edits and deletions", .timeLimit(.minutes(10)))
struct EditingTests {
    private let time = WallTime(millisecondsSince1970: 7)

    @Test(arguments: [StoredMessage.Direction.incoming, .outgoing])
    func `are for the author alone`(author: StoredMessage.Direction) async throws {
        try await withStore { store in
            try await store.addFriends()
            let message = NewMessage(text: "first")
            _ =
                author == .incoming
                ? try await store.add(message, from: bob) : try await store.add(message, to: bob)
            let other: StoredMessage.Direction = author == .incoming ? .outgoing : .incoming
            var code = try await refusal {
                try await store.edit(message.id, with: bob, by: other, to: "forged")
            }
            #expect(code == .notTheAuthor)
            code = try await refusal {
                try await store.delete(message.id, with: bob, by: other)
            }
            #expect(code == .notTheAuthor)
            code = try await refusal {
                try await store.edit(message.id, with: carol, by: author, to: "forged")
            }
            #expect(code == .noSuchMessage)
            #expect(try await store.message(message.id, with: bob)?.text == "first")

            try await store.edit(message.id, with: bob, by: author, to: "second", at: time)
            let edited = try #require(try await store.message(message.id, with: bob))
            #expect(edited.text == "second")
            #expect(edited.edited == time)
            #expect(edited.isUnread == (author == .incoming))

            try await store.delete(message.id, with: bob, by: author, at: time)
            let deleted = try #require(try await store.message(message.id, with: bob))
            #expect(deleted.text == "")
            #expect(deleted.deleted == time)
            #expect(!deleted.isUnread)
            code = try await refusal {
                try await store.edit(message.id, with: bob, by: author, to: "third")
            }
            #expect(code == .deleted)
        }
    }

    @Test func `keep what was there before out of view`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.receive("embarrassing")[0]
            try await store.edit(id, with: bob, by: .incoming, to: "polite")
            #expect(try await store.search("embarrassing").messages.isEmpty)
            #expect(try await store.search("polite").messages.map(\.id) == [id])
            #expect(try await store.messages(with: bob).messages.map(\.text) == ["polite"])
            for try await line in store.export() { #expect(!line.contains("embarrassing")) }
            #expect(try await store.earlierTexts(of: id, with: bob) == ["embarrassing"])
            try await store.delete(id, with: bob, by: .incoming)
            #expect(try await store.earlierTexts(of: id, with: bob) == [])
            #expect(try await store.search("polite").messages.isEmpty)
        }
    }

    @Test func `keep the last 16 texts`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.receive("0")[0]
            for number in 1...20 {
                try await store.edit(id, with: bob, by: .incoming, to: "\(number)")
            }
            #expect(try await store.earlierTexts(of: id, with: bob) == (4..<20).map { "\($0)" })
        }
    }

    @Test func `of what waits are made until it is handed out`() async throws {
        try await withStore { store in
            try await store.addFriends()
            guard case .key(let key) = carol else {
                Issue.record("Carol has no key")
                return
            }
            let ids = [
                try await store.add(NewMessage(text: "1"), to: carol).message.id,
                try await store.add(NewMessage(text: "2"), to: carol).message.id,
            ]
            #expect(try await store.changeUnsent(ids[0], to: "A", with: carol))
            #expect(try await store.changeUnsent(ids[1], to: nil, with: carol))
            #expect(try await store.waitingMessages(for: key).map(\.content) == [.text("A")])
            for text in ["B", nil] {
                #expect(try await store.changeUnsent(ids[0], to: text, with: carol) == false)
            }
            #expect(try await store.message(ids[0], with: carol)?.text == "A")
            let later = try await store.add(NewMessage(text: "3"), to: carol).message.id
            #expect(try await store.changeUnsent(later, to: "C", with: carol))
        }
    }

    @Test func `overwrite what was deleted`() async throws {
        let folder = TemporaryFolder()
        let store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        let file = NewMessage.File(name: "a", content: Array("xylophonefile".utf8))
        let message = NewMessage(text: "xylophonetext ".uppercased(), file: file)
        _ = try await store.add(message, from: bob)
        try await store.delete(message.id, with: bob, by: .incoming)
        await store.close()
        for (name, bytes) in try folder.contents() {
            for secret in ["XYLOPHONETEXT", "xylophonefile"] {
                #expect(bytes.range(of: secret.data(using: .utf8)!) == nil, "\(name)")
            }
        }
    }
}
