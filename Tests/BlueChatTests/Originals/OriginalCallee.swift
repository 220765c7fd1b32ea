import BLE
import BLETesting

@testable import BlueChat

/// A callee as the original: it takes whatever is written, and does nothing by itself.
actor OriginalCallee: GATTResponder {
    enum Event: Hashable, Sendable {
        case subscribed
        case text([UInt8])
        /// The subscription to the texts is over.
        case left
    }

    /// What has happened.
    nonisolated let events: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation
    private var publication: (any Publication)?

    init() {
        (events, continuation) = AsyncStream.makeStream()
    }

    /// Is advertised under a name.
    func publish(on radio: MemoryRadio, name: String) async throws {
        _ = try await radio.publish(
            ChatService.description(hasSessions: false),
            advertising: Advertisement(localName: name, serviceUUIDs: [ChatService.uuid]),
            responder: self
        )
    }

    func didPublish(_ publication: any Publication) { self.publication = publication }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        continuation.yield(.text(value))
    }

    func handle(_ event: PublicationEvent) {
        switch event {
        case .subscribed(ChatService.toCaller, _): continuation.yield(.subscribed)
        case .unsubscribed(ChatService.toCaller, _): continuation.yield(.left)
        default: break
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        _ = try await publication?.indicate(ChatService.toCaller, to: bytes)
    }

    func askToLeave() async throws {
        _ = try await publication?.indicate(ChatService.leaving, to: ChatService.leave)
    }

    func withdraw() async {
        await publication?.withdraw()
        publication = nil
        continuation.finish()
    }
}
