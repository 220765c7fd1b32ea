import BLE

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

extension AsyncThrowingStream<ScanEvent, any Error> {
    /// The events of a scan until its adapter is closed.
    func untilClosed() async throws -> [ScanEvent] {
        var events: [ScanEvent] = []
        do {
            for try await event in self { events.append(event) }
        } catch let error as RadioError where error.code == .absent {
            return events
        }
        throw RadioError(.failed, "the scan ended without an error")
    }
}
