import BLE
import Testing

extension CentralRadio {
    /// Connects, and discovers the services; a link without them is disconnected.
    func link(to peer: PeerID) async throws -> any Link {
        let link = try await connect(to: peer)
        do {
            _ = try await link.discoverServices()
            return link
        } catch {
            await link.disconnect()
            throw error
        }
    }
}

extension Link {
    /// Waits for its last event, which is to be its end, from here.
    func expectEnd(at location: SourceLocation = #_sourceLocation) async {
        var last: LinkEvent?
        for await event in events { last = event }
        guard case .disconnected(nil) = last else {
            Issue.record("it ended with \(String(describing: last))", sourceLocation: location)
            return
        }
    }
}
