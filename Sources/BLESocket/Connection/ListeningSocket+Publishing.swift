internal import BLE

// Until a central subscribes: the radio, the service and its advertisement.
extension ListeningSocket {
    mutating func open(at now: Duration) -> [Action] {
        guard isIdle else { return [] }
        guard radio == .on else {
            state = .opening(limit: openLimit.map { now + $0 })
            return []
        }
        state = .adding
        return [.publish]
    }

    mutating func radioBecame(_ radio: RadioState, at now: Duration) -> [Action] {
        guard !isIdle else { return [] }
        self.radio = radio
        switch state {
        case .opening where radio == .on:
            state = .adding
            return [.publish]
        case .idle, .opening:
            return []
        case .pausing where radio == .on:
            return []
        case .finishing: return radio == .on ? [] : endOrOpen(nil)
        case .adding, .advertising, .waiting, .open, .leaving, .pausing:
            guard radio != .on else { return [] }
            let error = SocketError(.bluetoothOff, "the socket was closed: Bluetooth is off")
            return resumes ? lose(error, .opening(limit: nil)) : fail(error)
        }
    }

    mutating func published() -> [Action] {
        guard state == .adding else { return [] }
        state = .advertising
        return [.advertise]
    }

    mutating func advertised(at now: Duration) -> [Action] {
        guard state == .advertising else { return [] }
        state = .waiting(until: now + advertisingInterval)
        return []
    }

    mutating func failed(_ error: any Error, at now: Duration) -> [Action] {
        switch state {
        case .idle, .opening, .pausing: return []
        case .finishing: return endOrOpen(nil)
        case .adding, .advertising, .waiting, .open, .leaving: break
        }
        let failure = failure(of: error)
        return resumes ? lose(failure, .pausing(until: now + Self.pause)) : fail(failure)
    }

    /// What the system has ended, which is no end that the other one has made.
    private func failure(of error: any Error) -> SocketError {
        let (code, reason): (SocketError.Code, String) =
            switch (error as? RadioError)?.code {
            case .off?, .absent?, .noService?: (.bluetoothOff, "Bluetooth went off")
            case .overflow?: (.full, "what came was not taken in time")
            case _ where isOpen || isLeaving: (.notPermitted, "the system has ended it")
            case _: (.lostConnection, "the system has ended it")
            }
        return SocketError(code, "the socket was closed: \(reason)", underlying: error)
    }
}
