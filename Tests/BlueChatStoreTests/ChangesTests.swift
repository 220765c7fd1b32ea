import Testing

@testable import BlueChatStore

@Suite("Changes", .timeLimit(.minutes(10)))
struct ChangesTests {
    @Test func `are told in order, to each stream`() async throws {
        let folder = TemporaryFolder()
        let store = try await ChatStore.open(at: folder.store)
        let streams = [await store.changes, await store.changes]
        try await store.setProfile(
            OwnProfile(name: "A", identity: [UInt8](repeating: 0, count: 32))
        )
        try await store.addFriend(bob, toldName: "Bob", state: .confirmed)
        let incoming = NewMessage(text: "Hi")
        _ = try await store.add(incoming, from: bob)
        _ = try await store.add(incoming, from: bob)
        let outgoing = NewMessage(text: "Hi")
        _ = try await store.add(outgoing, to: bob)
        try await store.setState(.sent, of: outgoing.id, to: bob)
        try await store.setState(.sent, of: outgoing.id, to: bob)
        try await store.requeue(to: bob)
        try await store.edit(outgoing.id, with: bob, by: .outgoing, to: "Hello")
        try await store.delete(outgoing.id, with: bob, by: .outgoing)
        try await store.delete(outgoing.id, with: bob, by: .outgoing)
        try await store.markRead(with: bob)
        try await store.markRead(with: bob)
        _ = try await refusal { try await store.addFriend(bob, toldName: "", state: .confirmed) }
        try await store.rename(bob, to: "B")
        try await store.removeHistory(with: bob)
        try await store.removeFriend(bob)
        await store.close()
        for stream in streams {
            var changes: [StoreChange] = []
            for await change in stream { changes.append(change) }
            #expect(
                changes == [
                    .profile, .friend(bob), .messageAdded(incoming.id, with: bob),
                    .messageAdded(outgoing.id, with: bob),
                    .messageChanged(outgoing.id, with: bob),
                    .messageChanged(outgoing.id, with: bob),
                    .messageChanged(outgoing.id, with: bob),
                    .messagesChanged(with: bob), .friend(bob), .historyRemoved(with: bob),
                    .friendRemoved(bob),
                ]
            )
        }
    }

    @Test func `that nobody has taken become one that says so`() async throws {
        try await withStore { store in
            try await store.addFriends()
            var changes = await store.changes.makeAsyncIterator()
            for number in 0..<300 { try await store.rename(bob, to: "\(number)") }
            #expect(await changes.next() == .reload)
            for _ in 0..<StoreLimits.changeCount { #expect(await changes.next() == .friend(bob)) }
            try await store.rename(carol, to: "C")
            #expect(await changes.next() == .friend(carol))
        }
    }

    @Test func `are not kept for a stream that has no consumer any more`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let kept = await store.changes
            do {
                let dropped = await store.changes
                #expect(await store.streams.count == 2)
                withExtendedLifetime(dropped) {}
            }
            let task = Task { [changes = await store.changes] in
                for await _ in changes {}
            }
            task.cancel()
            await task.value
            try await store.rename(bob, to: "B")
            #expect(await store.streams.count == 1)
            withExtendedLifetime(kept) {}
        }
    }
}
