package import BLE

/// A central's links, one for each peer, which what it does uses one after the other; a value in an
/// actor's state.
///
/// A link that nothing uses is idle. It is kept for a while, until the controller has no more
/// connections and another peer is to be connected, or as long as its peer is held.
package struct LinkPool: Sendable {
    private struct Entry {
        let link: any Link
        /// Which links have been idle longer: those of lower numbers; `nil` for one in use.
        var idleNumber: Int?
        /// Ends the link when it has been idle for long.
        var idleTimer: Deadline?
        /// Calls that wait until the link has ended.
        var ends = EndWaiters()
    }

    /// How long an idle link is kept.
    private enum Keeping {
        case held
        /// Not at all: it ends when it is no longer used.
        case leaving
    }

    private var entries: [PeerID: Entry] = [:]
    /// Those that are not kept for a while only.
    private var keeping: [PeerID: Keeping] = [:]
    private var lastNumber = 0

    package init() {}

    /// The link to a peer.
    package subscript(peer: PeerID) -> (any Link)? { entries[peer]?.link }

    /// Adds the link to a peer, which is in use.
    package mutating func add(_ link: any Link) {
        entries[link.peer] = Entry(link: link)
    }

    /// Removes the link to a peer that has ended, or is to be; also one that was being made, and failed.
    ///
    /// - Returns: the link; `nil` if there was none.
    @discardableResult
    package mutating func remove(_ peer: PeerID) -> (any Link)? {
        if keeping[peer] == .leaving { keeping[peer] = nil }
        guard var entry = entries.removeValue(forKey: peer) else { return nil }
        entry.idleTimer?.cancel()
        entry.ends.end()
        return entry.link
    }

    // MARK: - In use, and idle

    /// The link to a peer is used again.
    package mutating func beginUse(of peer: PeerID) {
        entries[peer]?.idleTimer?.cancel()
        entries[peer]?.idleTimer = nil
        entries[peer]?.idleNumber = nil
    }

    /// The link to a peer is no longer used.
    ///
    /// - Parameters:
    ///   - peer: the peer.
    ///   - timer: begins to measure how long an idle link is kept; whoever does asks
    ///     ``hasBeenIdle(_:since:)`` then, with the number that it is given.
    /// - Returns: whether the link is to be ended now.
    package mutating func endUse(of peer: PeerID, timer: (Int) -> Deadline) -> Bool {
        guard let entry = entries[peer] else { return false }
        entry.idleTimer?.cancel()
        lastNumber += 1
        entries[peer]?.idleNumber = lastNumber
        entries[peer]?.idleTimer = keeping[peer] == nil ? timer(lastNumber) : nil
        return keeping[peer] == .leaving
    }

    /// Whether the link to a peer has been idle without a break, and may be ended.
    package func hasBeenIdle(_ peer: PeerID, since number: Int) -> Bool {
        entries[peer]?.idleNumber == number && keeping[peer] != .held
    }

    /// The peer whose link has been idle longest; none that is held.
    package var longestIdle: PeerID? {
        let idle = entries.filter { $0.value.idleNumber != nil && keeping[$0.key] != .held }
        return idle.min { $0.value.idleNumber ?? 0 < $1.value.idleNumber ?? 0 }?.key
    }

    /// Whether nothing uses the link to a peer.
    package func isIdle(_ peer: PeerID) -> Bool { entries[peer]?.idleNumber != nil }

    /// Waits for the end of a peer's link.
    ///
    /// - Returns: a stream to iterate over, which ends with the link; `nil` if there is none.
    package mutating func end(of peer: PeerID) -> AsyncThrowingStream<Never, any Error>? {
        entries[peer]?.ends.add()
    }

    // MARK: - Held

    /// Links to a peer are kept until ``release(_:)``, the one that there is and those to come.
    package mutating func hold(_ peer: PeerID) {
        keeping[peer] = .held
        entries[peer]?.idleTimer?.cancel()
        entries[peer]?.idleTimer = nil
    }

    /// Links to a peer are held no longer, and the one that there is ends with its use.
    ///
    /// - Parameters:
    ///   - peer: the peer.
    ///   - isConnecting: whether a link is being made, of which the same is true.
    package mutating func release(_ peer: PeerID, isConnecting: Bool = false) {
        keeping[peer] = isConnecting || entries[peer] != nil ? .leaving : nil
    }
}

extension CentralRadio {
    /// Connects to a peer, and discovers its services; a link whose services are not known is of no use.
    ///
    /// - Parameters:
    ///   - peer: the peer.
    ///   - didConnect: called when there is a connection.
    ///   - endIdleLink: called when the controller has no more connections: ends an idle link, and waits
    ///     for its end. It is tried again when that returns `true`.
    /// - Returns: the link.
    /// - Throws: what the radio throws; `CancellationError`.
    package nonisolated(nonsending) func connect(
        to peer: PeerID,
        didConnect: () -> Void,
        endingIdleLink endIdleLink: () async throws -> Bool
    ) async throws -> any Link {
        while true {
            do {
                let link = try await connect(to: peer)
                didConnect()
                return try await Self.discoverServices(over: link)
            } catch let error as RadioError where error.code == .limitReached {
                guard try await endIdleLink() else { throw error }
                try Task.checkCancellation()
            }
        }
    }

    private nonisolated(nonsending) static func discoverServices(
        over link: any Link
    ) async throws -> any Link {
        do {
            _ = try await link.discoverServices()
            return link
        } catch {
            // Nobody waits: it ends when the system has the request.
            Task { await link.disconnect() }
            throw error
        }
    }
}
