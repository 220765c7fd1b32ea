import Testing

@testable import BlueChat

@Suite("A conversation")
struct ConversationTests {
    private static func text(_ text: String) throws -> ChatMessage {
        try ChatMessage(.text(text), time: 0)
    }

    /// Hands over all records of one end.
    private static func carry(_ one: inout Conversation, _ other: inout Conversation) throws
        -> [Conversation.Event]
    {
        var events: [Conversation.Event] = []
        var assembly = MessageAssembly()
        while let record = one.nextRecord() { events += try other.receive(record, &assembly) }
        return events
    }

    @Test func `tells how far a message has come`() throws {
        var (alice, bob) = (Conversation(), Conversation())
        let message = try Self.text("Hi 👋")
        try alice.send(message)
        #expect(alice.hasRecord && alice.takeSent().isEmpty)
        guard case .received(message)? = try Self.carry(&alice, &bob).first else {
            Issue.record("it has not come")
            return
        }
        #expect(alice.takeSent() == [message.id] && alice.waiting == [message])
        #expect(!bob.hasRecord)
        bob.confirm(message.id)
        guard case .delivered(message.id)? = try Self.carry(&bob, &alice).first else {
            Issue.record("it was not confirmed")
            return
        }
        #expect(alice.waiting.isEmpty)
        bob.markRead(message.id)
        guard case .read([message.id])? = try Self.carry(&bob, &alice).first else {
            Issue.record("it was not read")
            return
        }
    }

    @Test func `believes no receipt for what it has not sent`() throws {
        var alice = Conversation()
        let message = try Self.text("Hi")
        try alice.send(message)
        for record in [Record.delivered(message.id), .read(message.id), .refused(message.id)] {
            #expect(try alice.receiveOnce(record).isEmpty)
        }
        #expect(alice.waiting == [message])
        #expect(try alice.receiveOnce(.read(MessageID())).isEmpty)
    }

    @Test func `learns of one who has read a message that it is there`() throws {
        var (alice, bob) = (Conversation(), Conversation())
        let messages = [try Self.text("1"), try Self.text("2")]
        for message in messages { try alice.send(message) }
        _ = try Self.carry(&alice, &bob)
        let events = try alice.receiveOnce(.read(messages[1].id))
        guard events.count == 3, case .delivered(messages[0].id) = events[0],
            case .delivered(messages[1].id) = events[1],
            case .read(messages.map(\.id)) = events[2]
        else {
            Issue.record("\(events)")
            return
        }
        #expect(alice.waiting.isEmpty)
    }

    @Test func `takes a message once`() throws {
        var (alice, bob) = (Conversation(), Conversation())
        let message = try Self.text("Hi")
        try alice.send(message)
        #expect(try Self.carry(&alice, &bob).count == 1)
        for _ in 0..<3 {
            alice.beginSession()
            bob.beginSession()
            #expect(try Self.carry(&alice, &bob).isEmpty)
        }
        bob.confirm(message.id)
        bob.confirm(message.id)
        #expect(bob.nextRecord() == .delivered(message.id))
        #expect(bob.nextRecord() == nil)
        // Whoever has it from before confirms it again.
        var heir = Conversation(ChatHistory(received: [message.id]))
        alice.beginSession()
        #expect(try Self.carry(&alice, &heir).isEmpty)
        #expect(heir.nextRecord() == .delivered(message.id))
    }

    @Test func `sends no more than the other end has room for`() throws {
        var alice = Conversation()
        for number in 0..<Conversation.maximumWaitingCount {
            try alice.send(try Self.text("\(number)"))
        }
        let last = try Self.text("last")
        #expect { try alice.send(last) } throws: { ($0 as? ChatError)?.code == .full }
        var count = 0
        while alice.nextRecord() != nil { count += 1 }
        #expect(count == Conversation.maximumUnconfirmedCount)
        _ = try alice.receiveOnce(.delivered(alice.waiting[0].id))
        #expect(alice.nextRecord() != nil && alice.nextRecord() == nil)
    }

    @Test func `ends a session in which more comes than may`() throws {
        var bob = Conversation()
        let bytes = try Self.text("Hi").encoded
        for _ in 0..<(2 * Conversation.maximumUnconfirmedCount) {
            _ = try bob.receiveOnce(.begin(MessageID(), byteCount: bytes.count, bytes))
        }
        #expect(throws: ProtocolViolation.self) {
            _ = try bob.receiveOnce(.begin(MessageID(), byteCount: bytes.count, bytes))
        }
    }

    @Test func `refuses what is no message, and goes on`() throws {
        var (alice, bob) = (Conversation(), Conversation())
        let id = MessageID()
        for bytes in [[9, 0], [1] + [UInt8](repeating: 0, count: 8) + [0xFF]] as [[UInt8]] {
            let events = try bob.receiveOnce(.begin(id, byteCount: bytes.count, bytes))
            guard case .failedToReceive(id, let error)? = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(error.code == .invalidText)
            #expect(bob.nextRecord() == .refused(id))
        }
        let message = try Self.text("Hi")
        try alice.send(message)
        _ = try Self.carry(&alice, &bob)
        guard case .refused(message.id)? = try alice.receiveOnce(.refused(message.id)).first else {
            Issue.record("it was not refused")
            return
        }
        #expect(alice.waiting.isEmpty)
    }

    @Test(
        arguments: [
            [.more([1])], [.begin(MessageID(), byteCount: 0, [])],
            [.begin(MessageID(), byteCount: 1 << 24, [])],
            [.begin(MessageID(), byteCount: 2, [1]), .more([])],
            [.begin(MessageID(), byteCount: 2, [1]), .more([2, 3])],
        ] as [[Record]]
    )
    func `ends a session whose parts make no message`(records: [Record]) {
        var bob = Conversation()
        #expect(throws: ProtocolViolation.self) {
            var assembly = MessageAssembly()
            for record in records { _ = try bob.receive(record, &assembly) }
        }
    }

    @Test func `carries long texts, files, changes and small news`() throws {
        var (alice, bob) = (Conversation(), Conversation())
        let text = try Self.text(String(repeating: "👋", count: 16_384))
        let file = try ChatFile(name: "ball.png", bytes: (0..<100_000).map { UInt8($0 & 255) })
        let messages = [
            text, try ChatMessage(.file(file), time: -1),
            try ChatMessage(.edit(text.id, text: "new"), time: .max),
            try ChatMessage(.deletion(text.id), time: .min),
        ]
        for message in messages { try alice.send(message) }
        alice.setTyping(true)
        alice.setName("Alice B.")
        alice.leave()
        var received: [ChatMessage] = []
        var isTyping = false
        var name: String?
        var hasLeft = false
        for event in try Self.carry(&alice, &bob) {
            switch event {
            case .received(let message): received.append(message)
            case .typing(let state): isTyping = state
            case .renamed(let new): name = new
            case .left: hasLeft = true
            default: Issue.record("\(event)")
            }
        }
        #expect(received == messages)
        #expect(isTyping && name == "Alice B." && hasLeft)
    }

    @Test func `has limits for texts, files and their names`() throws {
        let long = String(repeating: "a", count: ChatMessage.maximumTextByteCount + 1)
        for (text, code) in [("", ChatError.Code.empty), (long, .tooLong)] {
            #expect { try Self.text(text) } throws: { ($0 as? ChatError)?.code == code }
        }
        let names = ["", ".", "..", "a/b", "a\nb", String(repeating: "n", count: 256)]
        for name in names {
            #expect { try ChatFile(name: name, bytes: []) } throws: {
                ($0 as? ChatError)?.code == .invalidName
            }
        }
        let bytes = [UInt8](repeating: 0, count: ChatFile.maximumByteCount + 1)
        #expect { try ChatFile(name: "a", bytes: bytes) } throws: {
            ($0 as? ChatError)?.code == .tooLong
        }
        #expect(try ChatFile(name: String(repeating: "n", count: 255), bytes: []).bytes.isEmpty)
    }
}

extension Conversation {
    /// Takes a record that is whole.
    mutating func receiveOnce(_ record: Record) throws -> [Event] {
        var assembly = MessageAssembly()
        return try receive(record, &assembly)
    }
}
