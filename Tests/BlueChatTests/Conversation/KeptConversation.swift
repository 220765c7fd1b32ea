import BLETesting
import Testing

@testable import BlueChat

/// A conversation, and what its program keeps of it: what is kept outlives the program.
struct KeptConversation {
    private(set) var conversation = Conversation()
    private var assembly = MessageAssembly()
    private(set) var written: [ChatMessage] = []
    private(set) var received: [ChatMessage] = []
    private(set) var delivered: [MessageID] = []
    private(set) var read: [MessageID] = []
    private var unread: [MessageID] = []
    /// Has come, and is not kept yet.
    private(set) var arrived: [ChatMessage] = []

    var isDone: Bool { conversation.waiting.isEmpty && arrived.isEmpty }

    mutating func write(_ message: ChatMessage) throws {
        try conversation.send(message)
        written.append(message)
    }

    /// Keeps the oldest message that has come.
    mutating func keep() {
        guard !arrived.isEmpty else { return }
        let message = arrived.removeFirst()
        received.append(message)
        conversation.confirm(message.id)
    }

    mutating func markRead() {
        if let last = received.last { conversation.markRead(last.id) }
    }

    /// The program ends at any moment, and another one goes on with what is kept.
    mutating func restart() {
        arrived = []
        conversation = Conversation(
            ChatHistory(
                waiting: written.filter { !delivered.contains($0.id) },
                unread: unread,
                received: received.map(\.id)
            )
        )
        if let last = read.last { #expect(delivered.contains(last)) }
    }

    mutating func change(_ change: (inout Conversation?) throws -> Void) rethrows {
        var optional = Optional(conversation)
        defer { if let optional { conversation = optional } }
        try change(&optional)
    }

    mutating func beginSession() {
        assembly = MessageAssembly()
        conversation.beginSession()
    }

    mutating func endSession() {
        conversation.endSession()
    }

    mutating func nextRecord() -> Record? { conversation.nextRecord() }

    mutating func receive(_ record: Record) throws {
        for event in try conversation.receive(record, &assembly) {
            switch event {
            case .received(let message):
                #expect(!received.contains(message) && !arrived.contains(message))
                arrived.append(message)
            case .delivered(let id):
                #expect(!delivered.contains(id))
                delivered.append(id)
                unread.append(id)
            case .read(let ids):
                #expect(Set(ids).isSubset(of: delivered) && Set(ids).isDisjoint(with: read))
                read += ids
                unread.removeAll { ids.contains($0) }
            case .refused(let id): Issue.record("\(id) was refused")
            case .failedToReceive(let id, let error): Issue.record("\(id): \(error)")
            case .typing, .renamed, .left: break
            }
        }
    }
}

extension ChatMessage {
    /// A text of so many bytes.
    static func random(
        _ byteCount: Int,
        using random: inout SeededGenerator
    ) throws -> ChatMessage {
        try ChatMessage(
            .text(String(repeating: "a", count: byteCount)),
            time: .random(in: Int64.min...Int64.max, using: &random),
            id: MessageID(using: &random)
        )
    }
}
