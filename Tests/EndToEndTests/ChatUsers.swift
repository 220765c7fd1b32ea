import BLE
import BLEDBus
import BlueChat
import BlueZ
import Testing

/// A messenger on an adapter of its own.
struct ChatUser: Sendable {
    let adapter: Adapter
    let messenger: Messenger
    let events: AsyncStream<ChatEvent>

    func find(_ name: String) async throws -> NearbyChatter {
        try await messenger.find(named: name, within: .seconds(60))
    }

    /// Calls somebody who is to be found.
    func call(_ name: String) async throws -> Chat {
        try await messenger.call(find(name).id)
    }

    func nextChat() async throws -> Chat {
        try await next("a chat") { event in
            guard case .began(let chat) = event else { return nil }
            return chat
        }
    }

    func nextText() async throws -> String { try await nextTextAndChat().0 }

    func nextTextAndChat() async throws -> (String, Chat) {
        try await next("a text") { event in
            switch event {
            case .received(let text, let chat): return (text, chat)
            case .receivedMessage(let message, let chat):
                guard case .text(let text) = message.content else { return nil }
                return (text, chat)
            default: return nil
            }
        }
    }

    /// - Returns: why the next chat ends that does; `nil` when one of the two has left.
    func nextEnd() async throws -> ChatError? {
        try await next("a chat's end") { event -> ChatError?? in
            guard case .ended(_, let error) = event else { return nil }
            return .some(error)
        }
    }

    private func next<Found: Sendable>(
        _ what: String,
        _ find: @escaping @Sendable (ChatEvent) -> Found?
    ) async throws -> Found {
        try await expected("\(what) at \(messenger.name)") { [events] in
            for await event in events {
                if let found = find(event) { return found }
            }
            throw CancellationError()
        }
    }

    func end() async {
        await messenger.stop()
        await adapter.close()
    }
}

/// Those of one check.
actor ChatUsers {
    private let world: any World
    private var all: [ChatUser] = []

    init(_ world: any World) { self.world = world }

    /// Somebody who can be called.
    func start(
        _ name: String,
        on adapterName: String,
        isOriginal: Bool = true,
        timeouts: ChatTimeouts = ChatTimeouts()
    ) async throws -> ChatUser {
        let adapter = try await Adapter.open(adapterName, onBusAt: world.bus.rawValue)
        let messenger = Messenger(
            radio: adapter,
            name: try ChatName(name),
            isOriginal: isOriginal,
            timeouts: timeouts
        )
        let user = ChatUser(
            adapter: adapter,
            messenger: messenger,
            events: await messenger.events
        )
        all.append(user)
        try await messenger.start()
        return user
    }

    func end() async {
        for user in all.reversed() { await user.end() }
        all = []
    }
}

/// Checks chats of users who end with the check, also when it fails: a messenger goes on until it is stopped.
func checkChat(
    adapters: Int = 2,
    virtualOnlyBecause reason: String? = nil,
    file: String = #fileID,
    _ body: @escaping @Sendable (any World, ChatUsers) async throws -> Void
) async throws {
    try await check(adapters: adapters, virtualOnlyBecause: reason, file: file) { world in
        let users = ChatUsers(world)
        let result: Result<Void, any Error>
        do { result = .success(try await body(world, users)) } catch { result = .failure(error) }
        await users.end()
        try result.get()
    }
}
