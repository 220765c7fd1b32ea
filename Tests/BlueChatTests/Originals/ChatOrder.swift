import BLE
import BLETesting

@testable import BlueChat

/// In which order a messenger tells of chats with originals; finds fault with any other.
struct ChatOrder {
    private enum State { case new, on, over }

    /// The chat that is on.
    private(set) var chat: Chat?
    private(set) var isReady = false
    private let schedule: Schedule
    private var chats = AllowedOrder<Int, State>(from: .new)
    private var received: [String] = []
    private var expected: [String] = []

    init(_ schedule: Schedule) { self.schedule = schedule }

    mutating func take(_ event: ChatEvent) {
        switch event {
        case .becameReady: isReady = true
        case .becameUnready(let error):
            schedule.note("unready: \(error)")
            isReady = false
        case .began(let chat):
            schedule.note("chat \(chat.id) with \(chat.peer) began")
            if let other = self.chat { schedule.fault("chat \(other.id) is on still") }
            report(chats.take(chat.id, from: [.new], to: .on), "began")
            self.chat = chat
        case .received(let text, let chat):
            schedule.note("Alice has '\(text)'")
            report(chats.take(chat.id, in: [.on]), "'\(text)'")
            let author = text.prefix { $0 != " " }
            if !chat.peer.rawValue.hasPrefix(author) {
                schedule.fault("'\(text)' is shown as from \(chat.peer)")
            }
            received.append(text)
        case .ended(let chat, let error):
            schedule.note("chat \(chat.id) ended: \(error.map { "\($0)" } ?? "left")")
            report(chats.take(chat.id, from: [.on], to: .over), "ended")
            if self.chat?.id == chat.id { self.chat = nil }
        case .refusedCaller(let peer): schedule.note("\(peer) is refused")
        default: break
        }
    }

    private func report(_ fault: String?, _ event: String) {
        if let fault { schedule.fault("\(event): chat \(fault)") }
    }

    /// A text was confirmed to its author.
    mutating func expect(_ text: String) { expected.append(text) }

    /// All is over.
    func end() {
        let open = chats.subjects(in: .on)
        if !open.isEmpty { schedule.fault("these chats have not ended: \(open)") }
        if Set(received).count != received.count { schedule.fault("Alice has a text twice") }
        let missing = Set(expected).subtracting(received)
        if !missing.isEmpty {
            schedule.fault("these were confirmed, and are not shown: \(missing)")
        }
        for author in ["Bob", "Carol"] {
            let numbers = received.filter { $0.hasPrefix(author) }.compactMap {
                $0.split(separator: " ").last.flatMap { Int($0) }
            }
            // Each is sent at once, and may wait for others in its radio.
            if numbers.count != Set(numbers).count { schedule.fault("\(author)'s come twice") }
        }
    }
}
