import BLE
import Testing

@testable import BlueChat

/// An archive in memory, for one person.
actor MemoryArchive: ChatArchive {
    struct Full: Error {}

    private(set) var kept: [ChatMessage] = []
    private(set) var receipts: [ChatReceipt] = []
    private(set) var names: [String] = []
    private(set) var history = ChatHistory()
    private var isBlocking = false
    private var isFull = false
    private var isRefusing = false
    private var losesReceipts = false
    private var gate: Promise<Void>?
    private var historyGate: Promise<Void>?
    /// With whom no chat began.
    private(set) var forgotten: [ChatKey] = []
    /// How many messages were to be kept.
    private(set) var callCount = 0

    func history(
        of key: ChatKey,
        named name: String,
        isCalled: Bool
    ) async throws -> ChatHistory? {
        names.append(name)
        try await historyGate?.wait()
        if isFull { throw Full() }
        return isBlocking ? nil : history
    }

    func waitingMessages(for key: ChatKey) -> [ChatMessage] { Array(history.waiting.prefix(2)) }

    func keep(_ message: ChatMessage, from key: ChatKey) async throws -> ChatArchiving {
        callCount += 1
        try await gate?.wait()
        if isFull { throw Full() }
        if isRefusing { return .refused }
        guard !history.received.contains(message.id) else { return .known }
        kept.append(message)
        history.received.append(message.id)
        return .kept
    }

    func keep(_ receipt: ChatReceipt, from key: ChatKey) throws {
        if losesReceipts { throw Full() }
        receipts.append(receipt)
        switch receipt {
        case .delivered(let id):
            history.waiting.removeAll { $0.id == id }
            history.unread.append(id)
        case .refused(let id): history.waiting.removeAll { $0.id == id }
        case .read(let ids): history.unread.removeAll { ids.contains($0) }
        }
    }

    func add(_ texts: [String]) throws {
        for text in texts { history.waiting.append(try ChatMessage(.text(text), time: 0)) }
    }

    func chatDidNotBegin(with key: ChatKey) { forgotten.append(key) }

    func rename(_ name: String) { history.name = name }
    func block() { isBlocking = true }
    func fill(_ isFull: Bool) { self.isFull = isFull }
    func refuse() { isRefusing = true }
    func loseReceipts() { losesReceipts = true }
    func hold(_ gate: Promise<Void>?) { self.gate = gate }
    func holdHistory(_ gate: Promise<Void>?) { historyGate = gate }
    func read(_ id: MessageID) { history.lastRead = id }
}
