import BLE
import BLETesting

@testable import BlueChat

/// The original app in both of its roles, in a schedule: it does what it is told to, and notes what comes.
///
/// Unchecked, as ``Schedule``.
final class OriginalApp: GATTResponder, @unchecked Sendable {
    let name: String
    let radio: MemoryRadio
    /// The texts that came, in order.
    private(set) var received: [String] = []
    /// Whether it is in a chat as the one who called.
    var isCalling: Bool { link != nil }

    private let schedule: Schedule
    private var link: (any Link)?
    private var isCallBegun = false
    private var publication: (any Publication)?
    private var tasks: [Task<Void, Never>] = []

    init(_ name: String, on radio: MemoryRadio, in schedule: Schedule) {
        self.name = name
        self.radio = radio
        self.schedule = schedule
    }

    /// Is advertised, and sees others, until it is stopped.
    func start() async throws {
        publication = try await radio.publish(
            ChatService.description(hasSessions: false),
            advertising: Advertisement(localName: name, serviceUUIDs: [ChatService.uuid]),
            responder: self
        )
        let radio = radio
        tasks.append(
            Task {
                do {
                    for try await _ in try await radio.scan(ScanFilter()) {}
                } catch {
                    // The schedule is over.
                }
            }
        )
    }

    func stop() async {
        for task in tasks { task.cancel() }
        await link?.disconnect()
        await publication?.withdraw()
        publication = nil
    }

    // MARK: - As the one who calls

    /// Connects, and subscribes to both.
    func call(_ peer: PeerID) async throws {
        guard !isCallBegun, link == nil else { return }
        isCallBegun = true
        defer { isCallBegun = false }
        let link = try await radio.connect(to: peer)
        self.link = link
        tasks.append(Task { await receive(over: link) })
        _ = try await link.discoverServices()
        try await link.subscribe(to: ChatService.toCaller)
        try await link.subscribe(to: ChatService.leaving)
    }

    private func receive(over link: any Link) async {
        for await event in link.events {
            switch event {
            case .notification(ChatService.toCaller, let value): receive(value)
            case .notification(ChatService.leaving, _): await link.disconnect()
            case .disconnected: self.link = nil
            default: continue
            }
        }
    }

    func hangUp() async { await link?.disconnect() }

    // MARK: - As the one who is called

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        receive(value)
    }

    func askToLeave() async throws {
        _ = try await publication?.indicate(ChatService.leaving, to: ChatService.leave)
    }

    // MARK: - Texts

    /// - Returns: whether the other end has confirmed it.
    func send(_ text: String) async throws -> Bool {
        let value = Array(text.utf8)
        if let link {
            try await link.write(value, to: ChatService.toCallee)
            return true
        }
        return try await publication?.indicate(ChatService.toCaller, to: value) == .confirmed
    }

    private func receive(_ value: [UInt8]) {
        let text = String(decoding: value, as: UTF8.self)
        schedule.note("\(name) has '\(text)'")
        received.append(text)
    }
}
