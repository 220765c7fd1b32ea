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
        var people: [ChatPerson] = []
        for conversation in conversations {
            let friend = conversation.friend
            let device = devices(of: friend, among: strangers).first
            strangers.removeAll { $0.id == device?.id }
            people.append(
                ChatPerson(
                    id: .friend(friend.id),
                    name: friend.name,
                    friend: friend,
                    nearby: device,
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

    /// Waits until somebody of a name is near: a friend, or else a stranger.
    ///
    /// - Parameters:
    ///   - name: the name that the user gave them, or their own; or the first digits of their key, 8 or more.
    ///   - limit: how long to wait.
    /// - Returns: who.
    /// - Throws: `ChatError` with `notFound`; `ChatStoreError`; `CancellationError`.
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
    /// - Parameter name: as ``find(named:within:)`` takes it.
    /// - Returns: who; `nil` when there is none.
    /// - Throws: `ChatStoreError`.
    public func friend(named name: String) async throws -> Friend? {
        try await people().first { $0.friend != nil && $0.isCalled(name) }?.friend
    }

    private func near(_ name: String) async throws -> ChatPerson? {
        let people = try await people().filter { person in
            (person.nearby != nil || person.isChatting) && person.friend?.state != .blocked
        }
        return people.first { $0.isCalled(name) }
    }
}

extension ChatPerson {
    /// Whether somebody is meant by a name, or by the beginning of a key.
    func isCalled(_ name: String) -> Bool {
        if self.name == name || friend?.toldName == name { return true }
        // A name is cut where an advertisement has no room for it.
        if friend == nil { return self.name == (try? ChatName(name))?.advertised }
        guard name.utf8.count >= 8, case .key(let key)? = friend?.id else { return false }
        return "\(key)".hasPrefix(name.lowercased())
    }
}
