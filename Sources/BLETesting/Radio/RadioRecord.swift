internal import BLE

/// What the air knows of a radio.
struct RadioRecord {
    struct Scan {
        let filter: ScanFilter
        let events: AsyncThrowingStream<ScanEvent, any Error>.Continuation
        var reported: Set<PeerID> = []
    }

    let peer: PeerID
    let address: BluetoothAddress?
    let configuration: MemoryRadio.Configuration
    /// Why it cannot be used now; `nil` when it can.
    var unusableReason: RadioError?
    var isClosed = false
    var watchers: [Int: AsyncStream<RadioState>.Continuation] = [:]
    var scans: [Int: Scan] = [:]
    /// The peers that it can connect to.
    var known: Set<PeerID> = []
    /// The services of peers that are kept over connections.
    var keptServices: [PeerID: [ServedServices]] = [:]
    /// What was received last from each peer.
    var sightings: [PeerID: Sighting] = [:]
    var connectionAttempts = MemoryRadio.ConnectionAttempts.succeed
    var repliesToRequests = true
    var confirmsIndications = true
    /// How long it takes to ask for the end of a link, and then until that has ended.
    var disconnectingTime = Duration.zero
    var endingTime = Duration.zero

    var state: RadioState {
        switch unusableReason?.code {
        case nil: .on
        case RadioError.Code.off: .off
        default: .absent
        }
    }

    /// Keeps what was received, with what earlier advertisements have said.
    mutating func combine(_ latest: Sighting) -> Sighting {
        let earlier = sightings[latest.peer]
        func kept<Field: Collection>(_ field: KeyPath<Sighting, Field>) -> Field {
            let value = latest[keyPath: field]
            return value.isEmpty ? earlier?[keyPath: field] ?? value : value
        }
        let sighting = Sighting(
            peer: latest.peer,
            address: latest.address,
            name: kept(\.name),
            rssi: latest.rssi,
            serviceUUIDs: kept(\.serviceUUIDs),
            manufacturerData: kept(\.manufacturerData),
            serviceData: kept(\.serviceData),
            txPower: latest.txPower ?? earlier?.txPower,
            appearance: latest.appearance ?? earlier?.appearance,
            isConnectable: latest.isConnectable,
            time: latest.time
        )
        sightings[latest.peer] = sighting
        return sighting
    }
}
