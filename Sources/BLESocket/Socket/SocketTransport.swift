internal import BLE

/// How the bytes of a socket travel.
public enum SocketTransport: String, Hashable, Sendable, CaseIterable {
    /// As they are, in notifications and writes: to whoever has the two characteristics. What is on its way when the
    /// connection ends is lost, and nothing tells where the bytes end.
    case raw
    /// In frames, between two of our ends: in order, each once, also over several connections; with an end for each
    /// direction.
    case stream
}

extension SocketConfiguration {
    /// The transports in the order in which a central chooses.
    private static let order: [SocketTransport] = [.stream, .raw]

    /// Raw bytes are anybody's.
    var usableTransports: Set<SocketTransport> {
        encryption?.isSelective == true ? [.stream] : transports
    }

    func notifyID(of transport: SocketTransport) -> AttributeID {
        AttributeID(
            service: service,
            characteristic: transport == .stream ? stream : notify
        )
    }

    func writeID(of transport: SocketTransport) -> AttributeID {
        AttributeID(
            service: service,
            characteristic: transport == .stream ? stream : write
        )
    }

    /// The transport that a peer with such services has.
    func transport(of services: [GATTService]) -> SocketTransport? {
        Self.order.first {
            usableTransports.contains($0) && services[notifyID(of: $0)] != nil
                && services[writeID(of: $0)] != nil
        }
    }

    func transport(notifying characteristic: AttributeID) -> SocketTransport? {
        Self.order.first { usableTransports.contains($0) && notifyID(of: $0) == characteristic }
    }

    func transport(written characteristic: AttributeID) -> SocketTransport? {
        Self.order.first { usableTransports.contains($0) && writeID(of: $0) == characteristic }
    }

    /// What a peer has to have; for people.
    var characteristicNames: String {
        let raw = "the characteristics \(notify) and \(write)"
        let stream = "the characteristic \(stream)"
        return switch (usableTransports.contains(.raw), usableTransports.contains(.stream)) {
        case (true, true): "\(raw), or \(stream)"
        case (false, true): stream
        case (_, false): raw
        }
    }
}
