import BlueChat
import Foundation

@testable import BlueChatStore

/// A folder for one test, which is removed with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init(in parent: String = NSTemporaryDirectory()) {
        path = "\(parent)/chat-store-\(UUID().uuidString)"
        // A test cannot go on without it, and says so when it opens its store.
        _ = mkdir(path, 0o700)
    }

    deinit {
        _ = Result { try FileManager.default.removeItem(atPath: path) }
    }

    /// The path of the store in it.
    var store: String { "\(path)/chat.db" }

    /// The bytes of its files, but those of the lock.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where !name.hasSuffix("-lock") {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        }
        return contents
    }
}

/// Gives a test a new store, which is closed after it.
nonisolated(nonsending) func withStore<Output>(
    maximumByteCount: Int = StoreLimits.storeByteCount,
    _ body: nonisolated(nonsending) (ChatStore) async throws -> Output
) async throws -> Output {
    let folder = TemporaryFolder()
    let store = try await ChatStore.open(at: folder.store, maximumByteCount: maximumByteCount)
    let output = try await body(store)
    await store.close()
    return output
}

/// The code of the error that a call throws; `nil` when it throws none.
nonisolated(nonsending) func refusal(
    _ body: nonisolated(nonsending) () async throws -> Void
) async throws -> ChatStoreError.Code? {
    do {
        try await body()
        return nil
    } catch let error as ChatStoreError {
        return error.code
    }
}

/// Friends for tests.
let bob = FriendID.address("Bob")
let carol = ChatKey([UInt8](repeating: 7, count: 32)).map { FriendID.key($0) } ?? .address("")

extension ChatStore {
    /// Adds Bob and Carol.
    func addFriends() throws {
        try addFriend(bob, toldName: "Bob", state: .confirmed)
        try addFriend(carol, toldName: "Carol", state: .confirmed)
    }

    /// Adds messages of Bob's, and says which.
    func receive(_ texts: String...) throws -> [MessageID] {
        try texts.map { try add(NewMessage(text: $0), from: bob).message.id }
    }
}
