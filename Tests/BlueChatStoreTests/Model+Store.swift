import BlueChat
import BlueChatStore
import Testing
import chat_store_writer

extension Model {
    /// Reads what a store holds.
    init(of store: ChatStore) async throws {
        for friend in try await store.friends() {
            guard let number = Self.number(of: friend.id) else { continue }
            people.append(
                Person(
                    number: number,
                    toldName: friend.toldName,
                    givenName: friend.givenName,
                    state: friend.state,
                    isVerified: friend.isVerified,
                    predecessor: friend.predecessor.flatMap(Self.number),
                    messages: try await Self.messages(with: friend.id, in: store)
                )
            )
        }
    }

    private static func number(of friend: FriendID) -> Int? {
        (0..<4).first { Operation.friend($0) == friend }
    }

    private static func messages(
        with friend: FriendID,
        in store: ChatStore
    ) async throws -> [Message] {
        var messages: [Message] = []
        var page = try await store.messages(with: friend, after: nil, count: 7)
        while true {
            for message in page.messages {
                messages.append(
                    Message(
                        id: Int(message.id.bytes[0]),
                        isOutgoing: message.direction == .outgoing,
                        text: message.text,
                        file: try await store.file(of: message.id, with: friend),
                        state: message.state,
                        isUnread: message.isUnread,
                        isEdited: message.edited != nil,
                        isDeleted: message.deleted != nil,
                        earlier: try await store.earlierTexts(of: message.id, with: friend)
                    )
                )
            }
            guard page.hasMore, let last = page.messages.last else { return messages }
            page = try await store.messages(with: friend, after: last.id, count: 7)
        }
    }

    /// Compares what can be asked of a store with what it holds.
    func checkViews(of store: ChatStore) async throws {
        let counts = try await store.unreadCounts()
        for person in people {
            let friend = Operation.friend(person.number)
            let unread = person.messages.count { $0.isUnread }
            #expect(counts[friend] ?? 0 == unread)
            #expect(try await store.unreadCount(of: friend) == unread)
            let waiting = try await store.waitingMessages(for: friend).map { Int($0.id.bytes[0]) }
            let queue = person.messages.filter {
                !$0.isDeleted && ($0.state == .waiting || $0.state == .sending)
            }
            #expect(waiting == queue.map(\.id))
            let page = try await store.messages(with: friend, count: 5)
            #expect(
                page.messages.map { Int($0.id.bytes[0]) } == person.messages.suffix(5).map(\.id)
            )
            #expect(page.hasMore == (person.messages.count > 5))
            for word in ["rain", "caf", "👋", "明", "it's"] {
                let found = try await store.search(word, with: friend)
                #expect(
                    found.messages.map { Int($0.id.bytes[0]) }
                        == person.messages.filter { $0.text.contains(word) }.map(\.id)
                )
            }
        }
        let conversations = try await store.conversations()
        #expect(conversations.count == people.count)
    }
}
