import BLE
import BLETesting
import Testing

@testable import BlueChat

/// A caller as the original: it subscribes to both, and does nothing by itself.
struct OriginalCaller {
    enum Event: Hashable, Sendable {
        case text([UInt8])
        case leave
        case disconnected
    }

    let link: any Link

    /// Returns when a radio has seen a peer, which is not advertised while it chats.
    static func see(_ peer: PeerID, by radio: MemoryRadio) async throws {
        for try await case .seen(let sighting) in try await radio.scan(ScanFilter())
        where sighting.peer == peer { break }
    }

    /// The peer was seen before.
    init(_ radio: MemoryRadio, _ peer: PeerID) async throws {
        try await self.init(over: radio.connect(to: peer))
    }

    init(over link: any Link) async throws {
        self.link = link
        _ = try await link.discoverServices()
        try await link.subscribe(to: ChatService.toCaller)
        try await link.subscribe(to: ChatService.leaving)
    }

    func write(_ bytes: [UInt8]) async throws {
        try await link.write(bytes, to: ChatService.toCallee)
    }

    func next() async -> Event? {
        for await event in link.events {
            switch event {
            case .notification(ChatService.toCaller, let bytes): return .text(bytes)
            case .notification(ChatService.leaving, _): return .leave
            case .disconnected: return .disconnected
            default: continue
            }
        }
        return nil
    }
}
