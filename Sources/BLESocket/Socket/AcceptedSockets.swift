internal import BLE

/// The sockets of a listener, by their sessions.
struct AcceptedSockets {
    private struct Entry {
        let socket: Socket
        /// Who said hello last; `nil` while there is no connection.
        var central: PeerID?
    }

    private var entries: [UInt64: Entry] = [:]
    private var channelCount = 0

    var count: Int { entries.count }

    var sockets: [Socket] { entries.values.map(\.socket) }

    subscript(session: UInt64) -> Socket? { entries[session]?.socket }

    func contains(_ session: UInt64) -> Bool { entries[session] != nil }

    /// Whether there is room for a session; none has the label of another one.
    func canTake(_ session: UInt64, of maximumCount: Int) -> Bool {
        entries.count < maximumCount && !hasLabel(of: session)
    }

    /// Whether there is a session with the label of this one, which would take for its own what is said to that.
    func hasLabel(of session: UInt64) -> Bool {
        let label = StreamLabel(session: session)
        return entries.keys.contains { StreamLabel(session: $0) == label }
    }

    mutating func insert(_ socket: Socket, _ session: UInt64) {
        entries[session] = Entry(socket: socket)
    }

    /// Whether a session may be reached at a central: one that is connected keeps its own.
    ///
    /// Whoever hears a hello can say it again.
    func mayLink(_ session: UInt64, to central: PeerID) -> Bool {
        guard let first = entries[session]?.central else { return true }
        return first == central
    }

    /// A session is reached at a central from now on.
    ///
    /// - Returns: its socket; `nil` when nothing has changed.
    mutating func link(_ session: UInt64, to central: PeerID) -> Socket? {
        guard let entry = entries[session], entry.central == nil else { return nil }
        entries[session]?.central = central
        return entry.socket
    }

    /// Whose frame it is: only who said hello may go on with a session.
    func socket(labelled label: StreamLabel, of central: PeerID) -> Socket? {
        entries.first { $0.value.central == central && StreamLabel(session: $0.key) == label }?
            .value.socket
    }

    /// A central has gone.
    ///
    /// - Returns: the sockets that were reached there.
    mutating func lose(_ central: PeerID) -> [Socket] {
        lose { $0 == central }
    }

    /// All centrals have gone.
    mutating func loseAll() -> [Socket] {
        lose { _ in true }
    }

    private mutating func lose(_ isLost: (PeerID) -> Bool) -> [Socket] {
        var lost: [Socket] = []
        for (session, entry) in entries where entry.central.map(isLost) == true {
            entries[session]?.central = nil
            lost.append(entry.socket)
        }
        return lost
    }

    /// A socket has given up its connection.
    ///
    /// - Returns: whether it had one.
    mutating func drop(_ socket: Socket) -> Bool {
        guard let session = session(of: socket), entries[session]?.central != nil else {
            return false
        }
        entries[session]?.central = nil
        return true
    }

    mutating func remove(_ socket: Socket) {
        if let session = session(of: socket) { entries[session] = nil }
    }

    private func session(of socket: Socket) -> UInt64? {
        entries.first { $0.value.socket === socket }?.key
    }

    mutating func nextChannelNumber() -> Int {
        channelCount += 1
        return channelCount
    }
}
