import BLE
import BLETesting

@testable import MagicEightBall

/// A link of a ``ScheduledCentralRadio``.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledLink: QuestionLink, CustomStringConvertible, @unchecked Sendable {
    let number: Int
    let peer: PeerID
    let events: AsyncStream<LinkEvent>
    let continuation: AsyncStream<LinkEvent>.Continuation
    private let whole: [GATTService]
    private let radio: ScheduledCentralRadio

    /// It has not ended.
    private(set) var isUp = true
    /// The SDK has ended it.
    var isGivenUp = false
    /// What its central is told.
    var subscribed: Set<AttributeID> = []
    /// What was written and not answered, with the tag of a private question.
    var accepted: [(text: String, tag: QuestionTag?)] = []
    /// What reads of Reply give in turn: what came of this program's questions, and of other programs'.
    private var replies: [[UInt8]] = []
    /// How many of them a ball keeps.
    static let maximumReplyCount = 16

    init(number: Int, peer: PeerID, services: [GATTService], radio: ScheduledCentralRadio) {
        self.number = number
        self.peer = peer
        self.whole = services
        self.radio = radio
        (events, continuation) = AsyncStream.makeStream()
    }

    var description: String { "\(peer)#\(number)" }

    var services: [GATTService] { get async { isUp ? whole : [] } }
    var mtuBytes: Int { get async { 517 } }

    func discoverServices() async throws -> [GATTService] {
        _ = try await radio.perform(.resolve(self))
        return await services
    }

    func read(_ characteristic: AttributeID) async throws -> [UInt8] {
        try await radio.perform(.read(self, characteristic)).value
    }

    func write(_ value: [UInt8], to characteristic: AttributeID) async throws {
        _ = try await radio.perform(.write(self, value, characteristic))
    }

    func subscribe(to characteristic: AttributeID) async throws {
        _ = try await radio.perform(.subscribe(self, characteristic))
    }

    func unsubscribe(from characteristic: AttributeID) async throws {
        _ = try await radio.perform(.unsubscribe(self, characteristic))
    }

    func disconnect() async {
        guard isUp else { return }
        isGivenUp = true
        // It always succeeds, soon or later; only a cancelled caller does not wait for it.
        _ = try? await radio.perform(.disconnect(self))
    }

    func writeWithoutResponse(_ value: [UInt8], to characteristic: AttributeID) async throws {
        throw RadioError(.unsupported, "a question needs no writes without response")
    }

    // MARK: What the world does

    /// The ball keeps one more reply.
    func keep(_ reply: [UInt8], at place: Int) {
        replies.insert(reply, at: min(place, replies.count))
        if replies.count > Self.maximumReplyCount { replies.removeLast() }
    }

    /// What the next read gives; a ball of before keeps no reply that was read.
    func nextReply() -> [UInt8] {
        guard !replies.isEmpty else { return [] }
        let reply = replies.removeFirst()
        if radio.keepsReplies { replies.append(reply) }
        return reply
    }

    /// The link has ended: nothing comes after this.
    func end(_ cause: RadioError?) {
        guard isUp else { return }
        isUp = false
        subscribed = []
        accepted = []
        continuation.yield(.disconnected(isGivenUp ? nil : cause))
        continuation.finish()
    }
}
