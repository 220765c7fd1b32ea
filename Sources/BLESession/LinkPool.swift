package import BLE

/// A central's links, one for each peer, which what it does uses one after the other; a value in the state of a ``LinkOwner``.
///
/// A link that nothing uses is idle. It is kept for a while, or as long as its peer is held; and until another peer is to be
/// connected when there are as many as may be, or the controller has no more connections.
package struct LinkPool: Sendable {
    private struct Entry {
        /// `nil` while it is being made.
        var link: (any Link)?
        /// Which links have been idle longer: those of lower numbers; `nil` for one in use.
        var idleNumber: Int?
        /// Since when, by the pool's clock.
        var idleSince = Duration.zero
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

    let radio: any CentralRadio
    let clock: any Clock<Duration>
    private let maximumCount: Int
    private let idleLimit: Duration?
    private let quietTime: Duration
    private let elapsed: @Sendable () -> Duration
    private var entries: [PeerID: Entry] = [:]
    /// Those that are not kept for a while only.
    private var keeping: [PeerID: Keeping] = [:]
    private var lastNumber = 0

    /// A pool without links.
    ///
    /// - Parameters:
    ///   - radio: makes the links.
    ///   - maximumCount: how many links there are at most, with those that are being made; `nil` for as many as the controller has.
    ///   - idleLimit: how long an idle link is kept; `nil` for as long as there is room.
    ///   - quietTime: how long a link must have been idle before it is ended for another one.
    ///   - clock: measures the time.
    package init(
        over radio: any CentralRadio,
        atMost maximumCount: Int? = nil,
        keepingIdleFor idleLimit: Duration?,
        givingWayAfter quietTime: Duration = .zero,
        on clock: any Clock<Duration>
    ) {
        self.radio = radio
        self.maximumCount = maximumCount ?? .max
        self.idleLimit = idleLimit
        self.quietTime = quietTime
        self.clock = clock
        elapsed = clock.stopwatch()
    }

    /// The link to a peer; `nil` also while it is being made.
    package subscript(peer: PeerID) -> (any Link)? { entries[peer]?.link }

    /// The link to a peer is to be made: there is to be room for it.
    package mutating func begin(_ peer: PeerID) {
        if entries[peer] == nil { entries[peer] = Entry() }
    }

    /// Adds the link to a peer, which is in use.
    package mutating func add(_ link: any Link) {
        entries[link.peer] = Entry(link: link)
    }

    /// Removes all links.
    package mutating func removeAll() {
        for peer in Array(entries.keys) { remove(peer) }
        keeping = [:]
    }

    // MARK: - Room

    /// Whether there are more links than may be, with those that are being made.
    var isOverfull: Bool { entries.count > maximumCount }

    /// Whether another peer can be connected, if need be when an idle link has been ended for it.
    package var hasRoom: Bool {
        entries.count < maximumCount || entries.count - yielding.count < maximumCount
    }

    /// The links that may be ended for another one.
    private var yielding: [PeerID: Entry] {
        let now = elapsed()
        return entries.filter { peer, entry in
            entry.idleNumber != nil && keeping[peer] != .held && now - entry.idleSince >= quietTime
        }
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
    mutating func endUse(of peer: PeerID, timer: (Int, Duration) -> Deadline) -> Bool {
        guard entries[peer]?.link != nil else { return false }
        entries[peer]?.idleTimer?.cancel()
        lastNumber += 1
        let now = elapsed()
        var idleTimer: Deadline?
        if keeping[peer] == nil, let idleLimit { idleTimer = timer(lastNumber, idleLimit) }
        entries[peer]?.idleNumber = lastNumber
        entries[peer]?.idleSince = now
        entries[peer]?.idleTimer = idleTimer
        return keeping[peer] == .leaving
    }

    /// Whether the link to a peer has been idle without a break, and may be ended.
    func hasBeenIdle(_ peer: PeerID, since number: Int) -> Bool {
        entries[peer]?.idleNumber == number && keeping[peer] != .held
    }

    /// The peer whose link has been idle longest, and may be ended for another one; none that is held.
    var longestIdle: PeerID? {
        yielding.min { $0.value.idleNumber ?? 0 < $1.value.idleNumber ?? 0 }?.key
    }

    /// Whether nothing uses the link to a peer.
    func isIdle(_ peer: PeerID) -> Bool { entries[peer]?.idleNumber != nil }

    /// Whether the link to a peer is being ended for another one.
    package func isGivingWay(_ peer: PeerID) -> Bool { entries[peer]?.ends.isEmpty == false }

    /// Waits for the end of a peer's link.
    ///
    /// - Returns: a stream to iterate over, which ends with the link; `nil` if there is none.
    mutating func end(of peer: PeerID) -> AsyncThrowingStream<Never, any Error>? {
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
