import BLE
import BLETesting
import BlueChat
import BlueChatAccount
import BlueChatStore
import Foundation
import Testing

/// People with stores and radios in memory.
final class AccountScene: Sendable {
    let air: MemoryAir
    let clock = ManualClock()
    private let folder = "\(NSTemporaryDirectory())/accounts-\(UUID().uuidString)"

    init() {
        air = MemoryAir(clock: clock)
    }

    deinit {
        _ = Result { try FileManager.default.removeItem(atPath: folder) }
    }

    /// Opens somebody's account, with the store that they had before.
    func open(
        _ name: String,
        isOriginal: Bool = false,
        as owner: String? = nil,
        on radio: MemoryRadio? = nil,
        timeouts: ChatTimeouts = ChatTimeouts()
    ) async throws -> ChatAccount {
        var radio = radio
        if radio == nil { radio = await self.radio(of: owner ?? name) }
        let store = try await ChatStore.open(at: "\(folder)/\(owner ?? name).db")
        return try await ChatAccount(
            store: store,
            radio: try #require(radio),
            name: try ChatName(name),
            isOriginal: isOriginal,
            timeouts: timeouts,
            clock: clock
        )
    }

    /// Makes a radio.
    func radio(of owner: String) async -> MemoryRadio {
        var configuration = MemoryRadio.Configuration()
        configuration.mtuBytes = 185
        return await air.radio("\(owner)'s \(UUID().uuidString)", configuration)
    }

    /// The end of somebody's program.
    func close(_ accounts: ChatAccount...) async throws {
        for account in accounts {
            try await pass { await account.stop() }
            await account.store.close()
        }
    }

    /// Does something while time passes.
    func pass<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await clock.run(while: work)
    }

    /// Waits, while time passes, until something is so; it is looked at again with each event.
    func wait(
        for account: ChatAccount,
        until condition: @escaping @Sendable () async throws -> Bool
    ) async throws {
        let events = await account.events
        try await pass {
            if try await condition() { return }
            for await _ in events where try await condition() { return }
            throw CancellationError()
        }
    }

    /// Somebody's friend or stranger of a name.
    func person(_ name: String, of account: ChatAccount) async throws -> ChatPerson {
        try await wait(for: account) {
            try await account.people().contains { $0.name == name }
        }
        return try #require(try await account.people().first { $0.name == name })
    }

    /// Somebody calls somebody, who is nearby.
    func call(_ name: String, from account: ChatAccount) async throws -> FriendID {
        let person = try await person(name, of: account)
        let chat = try await pass { try await account.call(person.id) }
        try await wait(for: account) {
            try await account.people().contains { $0.name == name && $0.isChatting }
        }
        return account.friend(of: chat)
    }

    /// Waits until somebody has texts of a friend's, and no others.
    func expect(_ texts: [String], with name: String, at account: ChatAccount) async throws {
        try await wait(for: account) { try await Self.texts(name, account).count >= texts.count }
        #expect(try await Self.texts(name, account) == texts)
    }

    static func texts(_ name: String, _ account: ChatAccount) async throws -> [String] {
        guard let person = try await account.people().first(where: { $0.name == name }),
            let friend = person.friend
        else { return [] }
        return try await account.store.messages(with: friend.id).messages.map(\.text)
    }

    /// Waits until the last message for a friend has come so far.
    func expect(_ state: DeliveryState, with name: String, at account: ChatAccount) async throws {
        try await wait(for: account) {
            try await account.people().first { $0.name == name }?.last?.state == state
        }
    }
}
