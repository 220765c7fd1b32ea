internal import BLE

/// What one end of a connection asks of the other: its links, and their requests, one at a time.
///
/// A value: its methods take what happened, and return what is to be done.
///
/// Source: Core specification, Vol 3, Part F, 3.3.2 (one request at a time).
struct GATTClient {
    enum Action: Sendable {
        case send(Int, ATTRequest)
        case fulfil(Promise<ATTResponse>, Result<ATTResponse, any Error>)
        /// A link's events are not consumed.
        case endSlowLink(Int)
    }

    enum Request {
        case att(ATTRequest)
        case subscribe(Target, AsyncThrowingStream<[UInt8], any Error>.Continuation?)
        case unsubscribe(Target)

        var target: Target? {
            switch self {
            case .att(let request): request.target
            case .subscribe(let target, _), .unsubscribe(let target): target
            }
        }
    }

    private struct Entry {
        let id: Int
        let link: Int
        let request: Request
        /// `nil` when nobody waits for it, or no longer.
        var reply: Promise<ATTResponse>?
        /// What the parts of a long read have brought so far.
        var value: [UInt8] = []
    }

    let peer: PeerID
    var mtuBytes: Int
    var links = Links()
    /// What the peer served earlier, which is shown in place of what it serves.
    private let kept: [ServedServices]?
    private(set) var services = RemoteServices()
    /// What the peer notifies.
    private var subscribed: Set<Target> = []
    private var outstanding: Entry?
    private var waiting: [Entry] = []

    /// How many requests are under way or wait for their turn.
    var requestCount: Int { waiting.count + (outstanding == nil ? 0 : 1) }

    init(peer: PeerID, mtuBytes: Int, kept: [ServedServices]? = nil) {
        self.peer = peer
        self.mtuBytes = mtuBytes
        self.kept = kept
    }

    // MARK: - Requests

    mutating func add(
        _ request: Request,
        by link: Int,
        id: Int,
        _ reply: Promise<ATTResponse>?
    ) -> [Action] {
        waiting.append(Entry(id: id, link: link, request: request, reply: reply))
        return proceed()
    }

    /// Whoever waited for a request was cancelled.
    mutating func cancel(_ id: Int, nextID: Int) -> [Action] {
        waiting.removeAll { $0.id == id }
        if outstanding?.id == id { outstanding?.reply = nil }
        // It may have succeeded just before.
        guard let target = links.unsubscribe(id) else { return [] }
        return unsubscribeUnused([target], nextID: nextID)
    }

    /// Asks the peer to stop notifying what no link has subscribed to.
    mutating func unsubscribeUnused(_ targets: [Target], nextID: Int) -> [Action] {
        targets.filter { !links.isSubscribed(to: $0) }
            .flatMap { add(.unsubscribe($0), by: 0, id: nextID, nil) }
    }

    private mutating func proceed() -> [Action] {
        var actions: [Action] = []
        while outstanding == nil, !waiting.isEmpty {
            let entry = waiting.removeFirst()
            guard let request = attRequest(of: entry) else {
                if case .subscribe = entry.request { subscribe(entry) }
                actions += fulfil(entry, .success(.done))
                continue
            }
            outstanding = entry
            actions.append(.send(entry.id, request))
        }
        return actions
    }

    /// What is to be sent for a request; `nil` when nothing has to be.
    private func attRequest(of entry: Entry) -> ATTRequest? {
        switch entry.request {
        case .att(.discover) where services.isDiscovered:
            nil
        case .att(let request):
            request
        case .subscribe(let target, _):
            subscribed.contains(target) ? nil : .configure(target, isSubscribed: true)
        case .unsubscribe(let target):
            subscribed.contains(target) && !links.isSubscribed(to: target)
                ? .configure(target, isSubscribed: false) : nil
        }
    }

    private mutating func subscribe(_ entry: Entry) {
        guard case .subscribe(let target, let stream) = entry.request, entry.reply != nil else {
            return
        }
        links.subscribe(entry.link, to: target, stream, id: entry.id)
    }

    private func fulfil(_ entry: Entry, _ result: Result<ATTResponse, any Error>) -> [Action] {
        entry.reply.map { [.fulfil($0, result)] } ?? []
    }

    // MARK: - What the peer sends

    mutating func receive(
        _ id: Int,
        _ result: Result<ATTResponse, ATTError>,
        nextID: Int
    ) -> [Action] {
        guard var entry = outstanding, entry.id == id else { return [] }
        var result = result.mapError { $0 as any Error }
        if case .success(.value(let part, let hasMore)) = result {
            entry.value += part
            if hasMore, case .att(.read(let target, _)) = entry.request {
                outstanding = entry
                return [.send(id, .read(target, offset: entry.value.count))]
            }
            result = .success(.value(entry.value, hasMore: false))
        }
        outstanding = nil
        var actions: [Action] = []
        if case .success(let response) = result {
            actions += didSucceed(entry, response, nextID: nextID)
        }
        actions += fulfil(entry, result)
        return actions + proceed()
    }

    private mutating func didSucceed(
        _ entry: Entry,
        _ response: ATTResponse,
        nextID: Int
    ) -> [Action] {
        if case .services(let served) = response { _ = services.update(to: kept ?? served) }
        switch entry.request {
        case .att:
            return []
        case .subscribe(let target, _):
            guard services.id(of: target) != nil else { return [] }
            subscribed.insert(target)
            subscribe(entry)
            return unsubscribeUnused([target], nextID: nextID)
        case .unsubscribe(let target):
            subscribed.remove(target)
            return []
        }
    }

    mutating func receive(
        _ value: [UInt8],
        of target: Target,
        nextID: Int
    ) -> [Action] {
        guard let id = services.id(of: target) else { return [] }
        let (slow, hasEnded) = links.deliver(value, of: id, from: target)
        return slow.map { .endSlowLink($0) }
            + (hasEnded ? unsubscribeUnused([target], nextID: nextID) : [])
    }

    /// The peer has other services; fails what waits for those that it removed.
    mutating func receive(_ served: [ServedServices]) -> [Action] {
        guard services.isDiscovered, kept == nil else { return [] }
        let removals = services.update(to: served)
        guard !removals.isEmpty else { return [] }
        var actions: [Action] = []
        for removal in removals {
            let error = RemoteServices.invalidated(removal.services, peer)
            actions += failRequests(error) { $0.request.target?.publication == removal.publication }
            subscribed = subscribed.filter { $0.publication != removal.publication }
            links.endSubscriptions(to: removal.publication, error)
        }
        let slow = links.report(.servicesInvalidated(removals.flatMap(\.services)))
        return actions + slow.map { .endSlowLink($0) }
    }

    mutating func receive(mtuBytes: Int) -> [Action] {
        self.mtuBytes = mtuBytes
        return links.report(.mtuChanged(mtuBytes)).map { .endSlowLink($0) }
    }

    // MARK: - End

    /// Fails what waits; what is under way is under way until the peer replies.
    private mutating func failRequests(
        _ error: RadioError,
        where isMeant: (Entry) -> Bool
    ) -> [Action] {
        var failed = waiting.filter(isMeant)
        waiting.removeAll(where: isMeant)
        if let entry = outstanding, isMeant(entry) {
            failed.insert(entry, at: 0)
            outstanding?.reply = nil
        }
        return failed.flatMap { fulfil($0, .failure(error)) }
    }

    /// Ends one link.
    mutating func end(_ link: Int, _ error: RadioError?, nextID: Int) -> [Action] {
        guard links.contains(link) else { return [] }
        let reason = error ?? Self.ended(peer)
        let actions = failRequests(reason) { $0.link == link }
        return actions + unsubscribeUnused(links.end(link, error), nextID: nextID)
    }

    /// The connection has ended.
    mutating func end(_ error: RadioError?) -> [Action] {
        let actions = failRequests(error ?? Self.ended(peer)) { _ in true }
        links.end(error)
        return actions
    }

    static func ended(_ peer: PeerID) -> RadioError {
        RadioError(.peerGone, "the link to \(peer) was disconnected here")
    }
}
