import BLEStorage
import BlueChat
import Testing

@testable import BlueChatStore

@Suite("Who is meant by a name", .timeLimit(.minutes(10)))
struct NamingTests {
    private static func friend(
        _ number: UInt8,
        _ state: Friend.State,
        told name: String = "Bob",
        given: String? = nil,
        after predecessor: UInt8? = nil
    ) throws -> Friend {
        Friend(
            id: try id(number),
            toldName: name,
            givenName: given,
            state: state,
            added: .now,
            predecessor: try predecessor.map(id)
        )
    }

    private static func id(_ number: UInt8) throws -> FriendID {
        .key(try #require(ChatKey([UInt8](repeating: number, count: 32))))
    }

    @Test(arguments: [Friend.State.requested, .confirmed])
    func `is the friend, and nobody who asks under the name`(state: Friend.State) throws {
        let bob = try Self.friend(1, state)
        let others = [
            try Self.friend(2, .requestReceived), try Self.friend(3, .requestReceived, after: 1),
            try Self.friend(4, .blocked), try Self.friend(5, .confirmed, told: "Carol"),
            Friend(id: .address("Bob"), toldName: "Bob", state: .requestReceived, added: .now),
        ]
        #expect(try (others + [bob]).meant(by: "Bob") == bob)
        #expect(try ([bob] + others).meant(by: "Bob") == bob)
        #expect(try others.meant(by: "Dave") == nil)
        #expect(try [others[0], others[2]].meant(by: "Bob") == others[0])
        #expect(try [others[2]].meant(by: "Bob") == nil)
    }

    @Test func `is nobody of several friends, whose keys are told`() throws {
        let friends = [try Self.friend(1, .confirmed), try Self.friend(2, .confirmed, after: 1)]
        do {
            _ = try friends.meant(by: "Bob")
            Issue.record("one of two was meant")
        } catch {
            #expect(error.code == .noSuchFriend)
            #expect(friends.allSatisfy { error.message.contains("\($0.id)") }, "\(error)")
        }
        // Two who ask are not told from each other either.
        let asking = try (1...5).map { try Self.friend($0, .requestReceived) }
        #expect(throws: ChatStoreError.self) { try asking.meant(by: "Bob") }
    }

    @Test func `goes by what the user sees, and by keys first`() throws {
        let robert = try Self.friend(1, .confirmed, given: "Robert")
        let bob = try Self.friend(2, .confirmed)
        #expect(try [robert].meant(by: "Bob") == robert)
        #expect(try [robert, bob].meant(by: "Bob") == bob)
        #expect(try [robert, bob].meant(by: "Robert") == robert)
        // Somebody calls themselves as a key begins.
        let impostor = try Self.friend(3, .confirmed, told: "01010101")
        #expect(try [impostor, robert].meant(by: "01010101") == robert)
        #expect(try [impostor, robert].meant(by: "0101010") == nil)
        guard case .key(let key) = robert.id else { return }
        let fingerprint = "\(key)".prefix(8).uppercased()
        #expect(try [impostor, robert].meant(by: fingerprint) == robert)
    }
}
