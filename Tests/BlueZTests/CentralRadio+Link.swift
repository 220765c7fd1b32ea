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
