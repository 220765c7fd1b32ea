import BLESQLite
import BLEStorage
import Foundation
import MeshRelay
import Testing

@testable import RelayAccount

@Suite("A relay's store", .timeLimit(.minutes(10)))
struct RelayStoreTests {
    private let folder = TemporaryFolder()
    private let bob = Person.bob.address

    /// The code of the error that opening throws.
    private func refusal() async -> StoreError.Code? {
        do {
            await (try folder.open()).close()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    private func message(_ id: Int32, _ text: String = "Hi 👋") throws -> RelayMessage {
        RelayMessage(
            id: id,
            sender: bob,
            receiver: try RelayAddress("alice#1234"),
            text: text
        )
    }

    // MARK: - Opening

    @Test func `has what was kept, and the same secret`() async throws {
        var store = try await folder.open()
        let secret = store.identity.bytes
        #expect(try await store.address() == nil)
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.bob)
        try await store.setVerified(bob)
        let sent = try await store.addOutgoing("Hello", id: 7, to: bob)
        #expect(try await store.keep(try message(9)))
        await store.close()
        store = try await folder.open()
        #expect(store.identity.bytes == secret)
        #expect(try await store.address()?.text == "alice#1234")
        let contact = RelayContact(link: Person.bob, isVerified: true, unreadCount: 1)
        #expect(try await store.contacts() == [contact])
        let messages = try await store.messages(with: bob)
        #expect(messages.map(\.text) == ["Hello", "Hi 👋"])
        #expect(messages[0] == sent)
        #expect(messages[1].status == .received && messages[1].isUnread)
        await store.close()
    }

    @Test func `shows nothing to who has the files without the key`() async throws {
        let store = try await folder.open()
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.bob)
        _ = try await store.addOutgoing("Attack at dawn", id: 7, to: bob)
        await store.close()
        let contents = try folder.contents()
        for secret in ["Attack", "alice", "bobby"] {
            #expect(contents.range(of: Data(secret.utf8)) == nil)
        }
        #expect(contents.range(of: Data(Person.bob.key.bytes)) == nil)
    }

    /// Texts would go to somebody else, encrypted for them.
    @Test(arguments: [
        "UPDATE contact SET link = (SELECT link FROM contact AS other WHERE other.number != contact.number)",
        "UPDATE contact SET is_verified = 1",
        "UPDATE contact SET number = 3 WHERE number = 1",
    ])
    func `notices contacts that are exchanged or declared verified`(change: String) async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        try await store.add(Person.carol)
        await store.close()
        #expect(await refusal() == nil)
        try folder.change(change)
        #expect(await refusal() == .damaged)
    }

    /// Before, links were encrypted without their numbers, and no nonces were kept.
    @Test func `opens what earlier versions have written`() async throws {
        var store = try await folder.open()
        try await store.add(Person.bob)
        try await store.add(Person.carol)
        try await store.setVerified(bob)
        #expect(try await store.keep(try message(7)))
        await store.close()
        let key = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/relay.key"))
        let keys = try #require(RelayKeys(Array(key)))
        for (number, link) in [(1 as Int64, Person.bob), (2, Person.carol)] {
            let sealed = keys.seal("\(link)", for: "a contact")
            try folder.change(
                "UPDATE contact SET link = ? WHERE number = ?",
                [.bytes(sealed), .integer(number)]
            )
        }
        for statement in [
            "ALTER TABLE contact DROP COLUMN is_bound", "ALTER TABLE message DROP COLUMN nonce",
            "PRAGMA user_version = 1",
        ] {
            try folder.change(statement)
        }
        for _ in 1...2 {
            store = try await folder.open()
            #expect(try await store.contacts().map(\.link) == [Person.bob, Person.carol])
            #expect(try await store.contacts().map(\.isVerified) == [true, false])
            #expect(try await store.messages(with: bob).map(\.text) == ["Hi 👋"])
            await store.close()
        }
        // From then on they are encrypted with them.
        try folder.change("UPDATE contact SET is_verified = 1")
        #expect(await refusal() == .damaged)
    }

    @Test func `is for its owner alone`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        for name in ["relay.key", "relay.db", "relay.db-wal", "relay.db-lock"] {
            var status = stat()
            #expect(stat("\(folder.path)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        await store.close()
    }

    @Test func `is refused without its key, with another's, and while another has it`()
        async throws
    {
        let store = try await folder.open()
        #expect(await refusal() == .inUse)
        #expect(throws: StoreError.self) { try RelayStore.erase(in: folder.path) }
        try await store.add(Person.bob)
        await store.close()
        let path = "\(folder.path)/relay.key"
        let key = try Data(contentsOf: URL(fileURLWithPath: path))
        try FileManager.default.removeItem(atPath: path)
        #expect(await refusal() == .damaged)
        #expect(!FileManager.default.fileExists(atPath: path))
        let other = TemporaryFolder()
        await (try other.open()).close()
        try FileManager.default.copyItem(atPath: "\(other.path)/relay.key", toPath: path)
        #expect(await refusal() == .damaged)
        try Data("no key".utf8).write(to: URL(fileURLWithPath: path))
        #expect(await refusal() == .damaged)
        try key.write(to: URL(fileURLWithPath: path))
        #expect(await refusal() == nil)
    }

    @Test func `is gone when it was erased`() async throws {
        let store = try await folder.open()
        let secret = store.identity.bytes
        try await store.add(Person.bob)
        await store.close()
        try RelayStore.erase(in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try RelayStore.erase(in: folder.path)
        let next = try await folder.open()
        #expect(next.identity.bytes != secret)
        #expect(try await next.contacts().isEmpty)
        await next.close()
        try RelayStore.erase(in: "/nowhere/at/all")
    }

    @Test func `does nothing when it was closed`() async throws {
        let store = try await folder.open()
        await store.close()
        await store.close()
        let error = await #expect(throws: StoreError.self) { try await store.address() }
        #expect(error?.code == .closed)
    }

    // MARK: - Contacts

    @Test func `warns of another key, and takes it when told to`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        try await store.setVerified(bob)
        try await store.add(Person.bob)
        #expect(try await store.contacts()[0].isVerified)
        let other = RelayLink(address: bob, key: RelayIdentity().key)
        let error = await #expect(throws: RelayError.self) { try await store.add(other) }
        #expect(error?.code == .keyChanged)
        #expect(try await store.contacts()[0].link == Person.bob)
        try await store.add(other, replacingKey: true)
        let contact = RelayContact(link: other, isVerified: false, unreadCount: 0)
        #expect(try await store.contacts() == [contact])
        await store.close()
        let again = try await folder.open()
        #expect(try await again.contacts() == [contact])
        await again.close()
    }

    /// A node could not be started with it.
    @Test func `takes neither the user's own address nor their key as a contact`() async throws {
        let store = try await folder.open()
        let address = try RelayAddress("alice#1234")
        try await store.setAddress(address)
        for own in [
            RelayLink(address: address, key: RelayIdentity().key),
            RelayLink(address: bob, key: store.identity.key),
        ] {
            let error = await #expect(throws: RelayError.self) {
                try await store.add(own, replacingKey: true)
            }
            #expect(error?.code == .invalidLink)
        }
        #expect(try await store.contacts().isEmpty)
        await store.close()
    }

    @Test func `forgets a contact with all messages`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        try await store.add(Person.carol)
        _ = try await store.addOutgoing("Hello", id: 1, to: bob)
        let kept = try await store.addOutgoing("Hello", id: 1, to: Person.carol.address)
        try await store.remove(bob)
        try await store.remove(bob)
        #expect(try await store.contacts().map(\.link) == [Person.carol])
        #expect(try await store.waitingMessages() == [kept])
        let error = await #expect(throws: RelayError.self) {
            try await store.messages(with: self.bob)
        }
        #expect(error?.code == .unknownContact)
        await store.close()
    }

    // MARK: - Messages

    @Test func `keeps a message that comes twice once`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        #expect(try await store.keep(try message(7)))
        #expect(try await !store.keep(try message(7, "another text")))
        // Its own one may have the same number.
        _ = try await store.addOutgoing("mine", id: 7, to: bob)
        #expect(try await store.messages(with: bob).map(\.text) == ["Hi 👋", "mine"])
        await store.close()
    }

    /// How far a message has come only goes forward.
    @Test func `knows how far each message has come`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        for id in 1...4 as ClosedRange<Int32> {
            _ = try await store.addOutgoing("\(id)", id: id, to: bob)
        }
        func states() async throws -> [RelayMessageStatus] {
            try await store.messages(with: bob).map(\.status)
        }
        try await store.keepDelivery(of: 1, to: bob)
        try await store.keepReading(of: [2, 1, 99], by: bob)
        try await store.keepDelivery(of: 2, to: bob)
        #expect(try await states() == [.read, .read, .sent, .sent])
        try await store.fail(try await store.messages(with: bob).map(\.number))
        #expect(try await states() == [.read, .read, .failed, .failed])
        try await store.keepDelivery(of: 3, to: bob)
        #expect(try await states() == [.read, .read, .delivered, .failed])
        await store.close()
    }

    @Test func `marks messages as read, with or without receipts`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        _ = try await store.keep(try message(1))
        #expect(try await store.markRead(bob, sendingReceipts: false).isEmpty)
        #expect(try await store.contacts()[0].unreadCount == 0)
        _ = try await store.keep(try message(2))
        #expect(try await store.markRead(bob, sendingReceipts: true) == [1, 2])
        #expect(try await store.markRead(bob, sendingReceipts: true).isEmpty)
        #expect(try await store.messages(with: bob).map(\.status) == [.receiptSent, .receiptSent])
        await store.close()
    }

    @Test func `marks those messages as read that were shown`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        for id in 1...4 as ClosedRange<Int32> { _ = try await store.keep(try message(id)) }
        let shown = try await store.messages(with: bob, count: 2)
        _ = try await store.keep(try message(5))
        let numbers = shown[0].number...shown[1].number
        #expect(try await store.markRead(bob, numbers: numbers, sendingReceipts: true) == [3, 4])
        let unread = try await store.messages(with: bob).filter(\.isUnread)
        #expect(unread.map(\.messageID) == [1, 2, 5])
        await store.close()
    }

    @Test func `gives messages a page at a time`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        for id in 1...10 as ClosedRange<Int32> {
            _ = try await store.addOutgoing("\(id)", id: id, to: bob)
        }
        let last = try await store.messages(with: bob, count: 4)
        #expect(last.map(\.text) == ["7", "8", "9", "10"])
        let before = try await store.messages(with: bob, before: last[0].number, count: 100)
        #expect(before.map(\.text) == ["1", "2", "3", "4", "5", "6"])
        try await store.delete(before[0].number)
        #expect(try await store.message(before[0].number) == nil)
        try await store.clear(bob)
        #expect(try await store.messages(with: bob).isEmpty)
        await store.close()
    }

    /// Each end chooses its own numbers, so that two messages may have one.
    @Test func `finds messages by their number, and deletes one or all`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        for id: Int32 in [7, 8] { _ = try await store.addOutgoing("to \(id)", id: id, to: bob) }
        #expect(try await store.keep(try message(7, "from 7")))
        let found = try await store.messages(of: 7, with: bob)
        #expect(found.map(\.text) == ["to 7", "from 7"])
        #expect(found.map(\.isOutgoing) == [true, false])
        #expect(try await store.messages(of: 9, with: bob).isEmpty)
        try await store.delete(found[0].number)
        #expect(try await store.messages(with: bob).map(\.text) == ["to 8", "from 7"])
        try await store.clear(bob)
        #expect(try await store.messages(with: bob).isEmpty)
        #expect(try await store.contacts().count == 1)
        await #expect(throws: RelayError.self) {
            try await store.messages(of: 7, with: RelayAddress("carol#1234"))
        }
        await store.close()
    }

    @Test func `refuses what no packet carries`() async throws {
        let store = try await folder.open()
        try await store.add(Person.bob)
        for (text, code) in [
            ("", RelayError.Code.empty), (String(repeating: "a", count: 513), .tooLong),
        ] {
            let error = await #expect(throws: RelayError.self) {
                try await store.addOutgoing(text, id: 1, to: self.bob)
            }
            #expect(error?.code == code)
        }
        await store.close()
    }

    // MARK: - Limits

    @Test func `keeps as many messages as it may, for as long as it may`() async throws {
        var limits = RelayStoreLimits()
        limits.messageCount = 3
        var store = try await folder.open(limits)
        try await store.add(Person.bob)
        for id in 1...5 as ClosedRange<Int32> {
            let time = WallTime(
                millisecondsSince1970: WallTime.now.millisecondsSince1970 - Int64(6 - id) * 60_000
            )
            _ = try await store.addOutgoing("\(id)", id: id, to: bob, at: time)
        }
        await store.close()
        store = try await folder.open(limits)
        #expect(try await store.messages(with: bob).map(\.text) == ["3", "4", "5"])
        await store.close()
        limits.messageAge = .seconds(Int64.max)
        store = try await folder.open(limits)
        #expect(try await store.messages(with: bob).count == 3)
        await store.close()
        limits.messageAge = .seconds(90)
        store = try await folder.open(limits)
        #expect(try await store.messages(with: bob).map(\.text) == ["5"])
        await store.close()
    }

    @Test func `says that it is full, and goes on`() async throws {
        var limits = RelayStoreLimits()
        limits.byteCount = 131_072
        let store = try await folder.open(limits)
        try await store.add(Person.bob)
        var count = 0
        var code: StoreError.Code?
        while code == nil, count < 10_000 {
            do {
                let text = String(repeating: "a", count: 400)
                _ = try await store.addOutgoing(text, id: Int32(count), to: bob)
                count += 1
            } catch let error as StoreError {
                code = error.code
            }
        }
        #expect(code == .full)
        #expect(try await store.messages(with: bob, count: 500).count == count)
        try await store.clear(bob)
        _ = try await store.addOutgoing("Hi", id: 1, to: bob)
        await store.close()
    }
}
