import BlueChat
import Testing

@testable import BlueChatStore

@Suite("Messages on their way", .timeLimit(.minutes(10)))
struct SendingTests {
    private static let states: [DeliveryState] = [
        .waiting, .sending, .sent, .delivered, .read, .failed("away"),
    ]

    /// From each state (a row) into which ones (a column): forward only.
    private static let steps = [
        ".xxxxx", "..xxxx", "...xxx", "....x.", "......", "...xx.",
    ]

    @Test func `go only forward`() async throws {
        try await withStore { store in
            try await store.addFriends()
            for (from, row) in zip(Self.states, Self.steps) {
                for (next, step) in zip(Self.states, row) {
                    let id = try await store.add(NewMessage(text: "Hi"), to: bob).message.id
                    if from != .waiting {
                        #expect(try await store.setState(from, of: id, to: bob))
                    }
                    let changes = try await store.setState(next, of: id, to: bob)
                    #expect(changes == (step == "x"), "\(from) → \(next)")
                    let state = try await store.message(id, with: bob)?.state
                    #expect(state == (changes ? next : from))
                }
            }
        }
    }

    @Test func `wait again when they failed and are sent anew`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let first = try await store.add(NewMessage(text: "1"), to: bob).message.id
            _ = try await store.add(NewMessage(text: "2"), to: bob)
            #expect(try await store.resend(first, to: bob) == false)
            try await store.setState(.failed("away"), of: first, to: bob)
            #expect(try await store.waitingMessages(for: bob).map(\.text) == ["2"])
            #expect(try await store.resend(first, to: bob))
            #expect(try await store.message(first, with: bob)?.state == .waiting)
            #expect(try await store.waitingMessages(for: bob).map(\.text) == ["1", "2"])
        }
    }

    @Test func `wait for each friend, the oldest first`() async throws {
        try await withStore { store in
            try await store.addFriends()
            for number in 0..<10 {
                _ = try await store.add(
                    NewMessage(text: "\(number)"),
                    to: number % 2 == 0 ? bob : carol
                )
            }
            let waiting = try await store.waitingMessages(for: bob)
            #expect(waiting.map(\.text) == ["0", "2", "4", "6", "8"])
            #expect(try await store.waitingMessages(for: bob, count: 2).map(\.text) == ["0", "2"])
            try await store.setState(.sent, of: waiting[0].id, to: bob)
            try await store.setState(.sending, of: waiting[1].id, to: bob)
            try await store.delete(waiting[2].id, with: bob, by: .outgoing)
            #expect(try await store.waitingMessages(for: bob).map(\.text) == ["2", "6", "8"])
        }
    }

    @Test func `wait again when the connection was lost, or the process`() async throws {
        let folder = TemporaryFolder()
        var store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        let id = try await store.add(NewMessage(text: "1"), to: carol).message.id
        try await store.setState(.sending, of: id, to: carol)
        #expect(try await store.requeue(to: bob) == 0)
        #expect(try await store.requeue(to: carol) == 1)
        #expect(try await store.message(id, with: carol)?.state == .waiting)
        try await store.setState(.sending, of: id, to: carol)
        await store.close()
        store = try await ChatStore.open(at: folder.store)
        #expect(try await store.message(id, with: carol)?.state == .waiting)
        await store.close()
    }

    /// Who has no key shows twice what comes twice.
    @Test func `to an original fail then, unless they have not left`() async throws {
        let folder = TemporaryFolder()
        var store = try await ChatStore.open(at: folder.store)
        try await store.addFriends()
        var ids: [MessageID] = []
        for text in ["1", "2", "3"] {
            ids.append(try await store.add(NewMessage(text: text), to: bob).message.id)
        }
        try await store.setState(.sending, of: ids[0], to: bob)
        try await store.postpone(ids[0], to: bob)
        #expect(try await store.waitingMessages(for: bob).map(\.id) == ids)
        #expect(try await store.waitingMessages(for: bob).allSatisfy { $0.state == .waiting })
        try await store.setState(.sending, of: ids[0], to: bob)
        #expect(try await store.requeue(to: bob) == 1)
        let failed = DeliveryState.failed(ChatStore.unknownArrival)
        #expect(try await store.message(ids[0], with: bob)?.state == failed)
        try await store.setState(.sending, of: ids[1], to: bob)
        await store.close()
        store = try await ChatStore.open(at: folder.store)
        let states = try await store.messages(with: bob).messages.map(\.state)
        #expect(states == [failed, failed, .waiting])
        await store.close()
    }

    @Test func `are the user's alone, and are there`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.receive("Hi")[0]
            #expect(
                try await refusal { try await store.setState(.read, of: id, to: bob) }
                    == .notTheAuthor
            )
            #expect(
                try await refusal { try await store.setState(.read, of: id, to: carol) }
                    == .noSuchMessage
            )
            #expect(try await refusal { try await store.resend(id, to: bob) } == .notTheAuthor)
        }
    }

    @Test func `that were deleted before they left are in nobody's way`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.add(NewMessage(text: "1"), to: bob).message.id
            try await store.setState(.sending, of: id, to: bob)
            try await store.delete(id, with: bob, by: .outgoing)
            #expect(try await store.waitingMessages(for: bob).isEmpty)
            #expect(try await store.requeue(to: bob) == 0)
            #expect(try await store.setState(.delivered, of: id, to: bob))
        }
    }

    @Test func `that were deleted are not sent anew`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.add(NewMessage(text: "1"), to: bob).message.id
            try await store.setState(.failed("away"), of: id, to: bob)
            try await store.delete(id, with: bob, by: .outgoing)
            #expect(try await refusal { try await store.resend(id, to: bob) } == .deleted)
        }
    }

    @Test func `say why they failed, in 1,024 bytes`() async throws {
        try await withStore { store in
            try await store.addFriends()
            let id = try await store.add(NewMessage(text: "1"), to: bob).message.id
            let reason = String(repeating: "é", count: 1000)
            try await store.setState(.failed(reason), of: id, to: bob)
            let expected = DeliveryState.failed(String(repeating: "é", count: 512))
            #expect(try await store.message(id, with: bob)?.state == expected)
        }
    }
}
