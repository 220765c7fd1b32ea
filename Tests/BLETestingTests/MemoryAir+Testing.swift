import BLE

@testable import BLETesting

extension MemoryAir {
    /// How many wait for a connection.
    var attemptCount: Int { attempts.values.reduce(0) { $0 + $1.waiting.count } }

    /// How many wait for the end of a connection before they connect.
    var endingWaitCount: Int { endings.values.reduce(0) { $0 + $1.count } }

    /// Lets the attempt that hangs fail, and later ones succeed.
    fileprivate func failOneAttempt(to radio: PeerID) {
        let error = RadioError(.connectionFailed, "the peer did not reply")
        radios[radio]?.connectionAttempts = .fail(error)
        for (route, attempt) in attempts where route.to == radio {
            receiveConnection(attempt.number, on: route)
        }
        radios[radio]?.connectionAttempts = .succeed
    }

    /// The addresses of its radios.
    var addresses: [BluetoothAddress] { radios.values.compactMap(\.address) }

    /// How many connections there are.
    var connectionCount: Int { Set(ends.values.map(\.connection)).count }

    /// How many requests of centrals are under way or wait for their turn.
    var requestCount: Int { ends.values.reduce(0) { $0 + $1.client.requestCount } }

    /// How many advertisements are recorded, those included that have ended.
    var recordedAdvertisementCount: Int { advertisements.count }

    /// How many timers of advertisements run.
    var timerCount: Int { advertisements.values.count { $0.timer != nil } }

    /// Whether a publication is disconnecting a central.
    var isDisconnecting: Bool { ends.values.contains(where: \.isBeingDisconnected) }

    /// Whether a publication is being withdrawn.
    var isWithdrawing: Bool { publications.values.contains(where: \.isWithdrawing) }

    /// Publications end by themselves, with what waits for them.
    func endPublications() {
        for number in publications.keys { endPublication(number, nil) }
    }

    /// How many values wait for the reply to a write.
    var heldValueCount: Int { publications.values.reduce(0) { $0 + $1.heldValues.count } }

    /// How many indications are outstanding or wait for their turn.
    var indicationCount: Int {
        publications.values.flatMap(\.indications.values).reduce(0) { $0 + $1.count }
    }

    /// Sends an MTU to a radio, and cuts the connection before that has arrived.
    func sendMTUAndCut(from radio: MemoryRadio, to other: MemoryRadio) {
        simulateMTUChange(to: 100, between: radio, and: other)
        simulateDisconnection(between: radio, and: other)
    }
}

extension MemoryRadio {
    /// Lets the attempt that hangs fail, and later ones succeed.
    func simulateOneFailure() async { await air.failOneAttempt(to: peer) }
}
