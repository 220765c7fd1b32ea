internal import BLE
internal import BLESession

/// What is known of somebody nearby.
struct NearbyRecord: Sendable {
    var name: String
    var presence: Presence
    let id: PeerID

    var chatter: NearbyChatter {
        NearbyChatter(id: id, name: name, rssi: presence.smoothedRSSI)
    }
}
