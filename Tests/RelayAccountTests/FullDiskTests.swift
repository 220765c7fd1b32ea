import BLE
import BLESQLite
import BLEStorage
import BLETesting
import Foundation
import MeshRelay
import Testing

@testable import RelayAccount

@Suite("A relay's store without room", .timeLimit(.minutes(10)))
struct FullDiskTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()

    /// Keeps messages of Carol's until there is no room for one more.
    ///
    /// - Returns: their numbers.
    private func fill(_ store: RelayStore) async throws -> [Int32] {
        let receiver = try RelayAddress("alice#1234")
        var kept: [Int32] = []
        for text in [String(repeating: "x", count: 400), "x"] {
            var code: StoreError.Code?
            while code == nil, kept.count < 20_000 {
                let message = RelayMessage(
                    id: Int32(kept.count),
                    sender: Person.carol.address,
                    receiver: receiver,
                    text: text
                )
                do {
                    let isNew = try await store.keep(message)
                    #expect(isNew)
                    kept.append(message.id)
                } catch let error as StoreError {
                    code = error.code
                }
            }
            #expect(code == .full)
        }
        return kept
    }

    private func messageIDs(_ store: RelayStore) async throws -> [Int32] {
        var found: [StoredRelayMessage] = []
        while true {
            let page = try await store.messages(
                with: Person.carol.address,
                before: found.first?.number,
                count: 500
            )
            guard !page.isEmpty else { return found.map(\.messageID) }
            found = page + found
        }
    }

    /// Only root may mount one.
    @Test func `loses nothing on a file system of 2 MB`() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path,
            withIntermediateDirectories: true
        )
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=2m") == 0 else { return }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        var store = try await RelayStore.open(in: "\(folder.path)/store")
        try await store.add(Person.carol)
        let kept = try await fill(store)
        for _ in 1...2 {
            #expect(try await messageIDs(store) == kept)
            await store.close()
            store = try await RelayStore.open(in: "\(folder.path)/store")
        }
        await store.close()
    }

    /// Only root may mount one.
    @Test func `is opened also where there is no room to delete what is too old`() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path,
            withIntermediateDirectories: true
        )
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=2m") == 0 else { return }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        let path = "\(folder.path)/store"
        let store = try await RelayStore.open(in: path)
        try await store.add(Person.carol)
        let kept = try await fill(store)
        await store.close()
        let other = open("\(folder.path)/other", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        while write(other, [UInt8](repeating: 0, count: 4_096), 4_096) > 0 {}
        close(other)
        var limits = RelayStoreLimits()
        limits.messageCount = 1
        let again = try await RelayStore.open(in: path, limits: limits)
        #expect(try await messageIDs(again) == kept)
        await again.close()
    }

    /// It is not acknowledged, so its sender sends it again.
    @Test func `lets a node take a message when there is room again`() async throws {
        var limits = RelayStoreLimits()
        limits.byteCount = 131_072
        let store = try await folder.open(limits)
        let address = try RelayAddress("bobby#1234")
        try await store.setAddress(address)
        let air = MemoryAir(clock: clock)
        let alice = RelayNode(
            radio: await air.radio("alice"),
            identity: RelayIdentity(),
            address: try RelayAddress("alice#1234"),
            clock: clock
        )
        try await alice.add(RelayLink(address: address, key: store.identity.key))
        try await store.add(alice.link)
        try await store.add(Person.carol)
        _ = try await fill(store)
        let account = try await RelayAccount(
            store: store,
            radio: await air.radio("bobby"),
            clock: clock
        )
        let (events, sent) = (await account.events, await alice.events)
        let (id, error) = try await clock.run {
            try await account.start()
            try await alice.start()
            // What is left of a page may have room for some.
            while true {
                let id = try await alice.send("Hi", to: address)
                arrivals: for await event in events {
                    switch event {
                    case .received(let message) where message.id == id: break arrivals
                    case .notKept(let error): return (id, error)
                    default: continue
                    }
                }
                try Task.checkCancellation()
            }
        }
        let cause = (error.underlying as? RelayError)?.underlying as? StoreError
        #expect(cause?.code == .full)
        #expect(try await store.messages(of: id, with: alice.address).isEmpty)
        try await store.clear(Person.carol.address)
        try await clock.run {
            try await alice.send("Hi", to: address, id: id)
            for await case .delivered(let delivered, _) in sent where delivered == id { return }
            throw CancellationError()
        }
        #expect(try await store.messages(of: id, with: alice.address).map(\.text) == ["Hi"])
        try await clock.run {
            await account.stop()
            await alice.stop()
        }
        await store.close()
    }

    /// What others send could not be kept.
    @Test func `lets a node know those contacts alone that are kept`() async throws {
        var limits = RelayStoreLimits()
        limits.byteCount = 131_072
        let store = try await folder.open(limits)
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.carol)
        _ = try await fill(store)
        let account = try await RelayAccount(
            store: store,
            radio: await MemoryAir(clock: clock).radio("alice"),
            clock: clock
        )
        var code: StoreError.Code?
        for number in 1_000...1_500 where code == nil {
            let address = try RelayAddress("bobby#\(number)")
            do {
                try await account.add(RelayLink(address: address, key: RelayIdentity().key))
            } catch let error as StoreError {
                code = error.code
            }
        }
        #expect(code == .full)
        #expect(try await account.node.contacts == store.contacts().map(\.link))
        await store.close()
    }

    /// With one message of a thousand older ones are deleted, for which there may be no room either.
    @Test func `keeps nothing of a message with which older ones cannot be deleted`() async throws {
        var limits = RelayStoreLimits()
        limits.messageCount = 999
        let empty = try await folder.open(limits)
        try await empty.add(Person.bob)
        await empty.close()
        try folder.change(
            "CREATE TRIGGER stay BEFORE DELETE ON message BEGIN SELECT RAISE(ABORT, 'stays'); END"
        )
        let store = try await folder.open(limits)
        let bob = Person.bob.address
        for id in 1...999 as ClosedRange<Int32> {
            _ = try await store.addOutgoing("Hi", id: id, to: bob)
        }
        await #expect(throws: StoreError.self) {
            try await store.addOutgoing("Hi", id: 1_000, to: bob)
        }
        #expect(try await store.messages(of: 1_000, with: bob).isEmpty)
        _ = try await store.addOutgoing("Hi", id: 1_000, to: bob)
        #expect(try await store.messages(of: 1_000, with: bob).count == 1)
        await store.close()
    }

    /// One that a program of later has written.
    @Test func `is refused, and stays as it was, when it is newer`() async throws {
        var store = try await folder.open()
        try await store.add(Person.bob)
        await store.close()
        let database = try Database(path: "\(folder.path)/relay.db")
        let version = try database.integer("PRAGMA user_version")
        database.close()
        try folder.change("PRAGMA user_version = \(version + 1)")
        for _ in 1...2 {
            let error = await #expect(throws: StoreError.self) { _ = try await self.folder.open() }
            #expect(error?.code == .newer)
        }
        try folder.change("PRAGMA user_version = \(version)")
        store = try await folder.open()
        #expect(try await store.contacts().map(\.link) == [Person.bob])
        await store.close()
    }
}
