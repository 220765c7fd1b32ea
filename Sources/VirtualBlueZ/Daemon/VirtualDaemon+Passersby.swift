/// Devices that pass by; one of a test's levers.
extension VirtualDaemon {
    /// Lets devices pass an adapter by, as people with their telephones do: random addresses that are
    /// heard while the adapter scans, come and go, and come again.
    ///
    /// One that is near is heard about once a second; after 5 to 15 times it has gone, and its
    /// object goes ``Timing/removal`` later. Half of them have a name, all have manufacturer data.
    /// Nobody can connect to them. Those that passed this adapter by before are gone.
    ///
    /// - Parameters:
    ///   - count: how many different ones there are, 0…1,000,000; 0 for nobody.
    ///   - adapter: 0 for `hci0`.
    ///   - sightingsPerSecond: how often one of them is heard, 0 or more; about as many are near at
    ///     once, at least one and at most all.
    ///   - services: the UUIDs that every tenth of them advertises.
    ///   - seed: decides who comes when, and how loud; the same one always gives the same row. The
    ///     addresses are the same with each.
    public func simulatePassersby(
        _ count: Int,
        near adapter: Int,
        sightingsPerSecond: Double,
        advertising services: [String] = [],
        seed: UInt64 = 0
    ) {
        precondition((0...1_000_000).contains(count), "\(count) passers-by")
        precondition(sightingsPerSecond >= 0, "\(sightingsPerSecond) sightings a second")
        let uuids = services.compactMap(BluetoothUUIDText.normalized)
        precondition(uuids.count == services.count, "\(services) are not all UUIDs")
        air.crowds[adapter] =
            count == 0
            ? nil
            : Crowd(count, sightingsPerSecond: sightingsPerSecond, services: uuids, seed: seed)
    }

    /// Tells an adapter that listens who has passed by since it was told last.
    func reportPassersby(to index: Int) {
        let heard = air.crowds[index]?.hear(for: timing.advertisingInterval) ?? []
        for passerby in heard {
            let id = DeviceID(adapter: index, peer: Crowd.firstPeer + passerby.number)
            report(passerby.advertisement, from: id, passerby.rssi)
        }
    }

    /// The address of a peer, and of which kind it is.
    func address(of peer: Int) -> (text: String, type: String) {
        peer < Crowd.firstPeer
            ? (VirtualAdapter.address(of: peer), "public")
            : (Crowd.address(of: peer - Crowd.firstPeer), "random")
    }
}
