internal import BLE
internal import BlueChat
public import BlueChatStore

// Who there is.
extension ChatAccount {
    /// Everybody to chat with: friends, those first with whom something was said last; then who else is nearby, the nearest
    /// first.
    ///
    /// - Returns: the people.
    /// - Throws: `ChatStoreError`.
    public func people() async throws -> [ChatPerson] {
        let conversations = try await store.conversations()
        let waiting = try await store.waitingCounts()
        var strangers = await messenger.nearby.sorted { $0.rssi > $1.rssi }
        var devices: [FriendID: NearbyChatter] = [:]
        // Who has a friend's name is the friend rather than who asks under it.
        for isAsking in [false, true] {
            for friend in conversations.map(\.friend)
            where (friend.state == .requestReceived) == isAsking {
                guard let device = self.devices(of: friend, among: strangers).first else {
                    continue
                }
                devices[friend.id] = device
                strangers.removeAll { $0.id == device.id }
            }
        }
        var people: [ChatPerson] = []
        for conversation in conversations {
            let friend = conversation.friend
            people.append(
                ChatPerson(
                    id: .friend(friend.id),
                    name: friend.name,
                    friend: friend,
                    nearby: devices[friend.id],
                    isChatting: chats[friend.id] != nil,
                    isTyping: typing.contains(friend.id),
                    unreadCount: conversation.unreadCount,
                    waitingCount: waiting[friend.id] ?? 0,
                    last: conversation.last
                )
            )
        }
        return people
            + strangers.map { ChatPerson(id: .nearby($0.id), name: $0.name, nearby: $0) }
    }

    /// Waits until somebody of a name is near: the friend, or else a stranger.
    ///
    /// While a friend has the name, nobody else of that name is found: see ``friend(named:)``.
    ///
    /// - Parameters:
    ///   - name: the name that the user gave them, or their own; or the first digits of their key, 8 or more.
    ///   - limit: how long to wait.
    /// - Returns: who.
    /// - Throws: `ChatError` with `notFound`; `ChatStoreError`, with `noSuchFriend` when several friends have the name;
    ///   `CancellationError`.
    public func find(
        named name: String,
        within limit: Duration = .seconds(10)
    ) async throws -> ChatPerson {
        let events = events
        let found = try await withTimeLimit(limit, on: clock) {
            if let person = try await self.near(name) { return person }
            for await event in events {
                switch event {
                case .chat(.discovered), .chat(.changed), .chat(.began):
                    if let person = try await self.near(name) { return person }
                default: continue
                }
            }
            throw CancellationError()
        }
        guard let found else {
            let others = await messenger.nearby.map { "'\($0.name)'" }.joined(separator: ", ")
            throw ChatError(
                .notFound,
                "nobody of the name '\(name)' was found within \(limit.inUnits)"
                    + (others.isEmpty ? "" : "; nearby: \(others)")
            )
        }
        return found
    }

    /// The friend of a name.
    ///
    /// Who was asked or confirmed goes before who asks under the same name, however recently; who is blocked is none.
    ///
    /// - Parameter name: as ``find(named:within:)`` takes it.
    /// - Returns: who; `nil` when there is none.
    /// - Throws: `ChatStoreError`, with `noSuchFriend` when several have the name; it tells their keys.
    public func friend(named name: String) async throws -> Friend? {
        try await store.friends().meant(by: name)
    }

    private func near(_ name: String) async throws -> ChatPerson? {
        let friend = try await friend(named: name)
        let people = try await people()
        guard let friend else {
            // A name is cut where an advertisement has no room for it.
            let cut = (try? ChatName(name))?.advertised
            return people.first { $0.friend == nil && ($0.name == name || $0.name == cut) }
        }
        let isNear = try await !devices(of: friend.id).isEmpty
        guard isNear || chats[friend.id] != nil else { return nil }
        return people.first { $0.friend?.id == friend.id }
    }
}
