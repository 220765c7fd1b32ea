internal import BLE

/// The end of a chat that is called: what centrals do goes in, actions come out.
///
/// A caller is whoever subscribes to the texts, one at a time. Where the system does not say who subscribed, it is
/// the only central that is connected, or the one that writes first.
struct Callee: Sendable {
    /// What happened.
    enum Event: Hashable, Sendable {
        /// A central came or left, whatever for.
        case connected(PeerID), disconnected(PeerID)
        /// A central has subscribed to the texts, or has unsubscribed; `nil` where the system does not say which.
        case subscribed(PeerID?), unsubscribed(PeerID?)
        /// A central has shown its key, and takes no part in chats of the original.
        case isOurs(PeerID)
        /// This end calls somebody, from now on until the call or its chat is over.
        case calls(PeerID?)
        /// The service is no longer published: nobody is connected to it.
        case ended
    }

    /// What is to be done.
    enum Action: Hashable, Sendable {
        /// Somebody has called.
        case begin(PeerID)
        /// The caller has left.
        case end(PeerID)
        /// Somebody calls while a chat is on, and would be sent its texts.
        case disconnect(PeerID)
    }

    /// What becomes of a text that was written.
    enum Verdict: Hashable, Sendable {
        case deliver
        /// Another chat is on.
        case busy
        /// Whoever wrote has not subscribed.
        case notSubscribed
    }

    /// Whose chat is on.
    private(set) var caller: PeerID?
    private var centrals: Set<PeerID> = []
    /// Those that take no part in it.
    private var ours: Set<PeerID> = []
    /// In the order in which they subscribed.
    private var subscribers: [PeerID] = []
    /// Whether somebody has subscribed of whom the system does not say who it is.
    private var hasUnnamedSubscriber = false
    /// Whether that may be the only central that is connected: after a caller has left, it may be somebody who came
    /// for something else, as the end of the subscription may be told after that of the connection.
    private var isOnlyCentralSubscriber = false
    /// Whom this end calls.
    private var called: PeerID?

    /// Whether the texts reach nobody but the caller.
    var isPrivate: Bool {
        guard let caller else { return false }
        return hasUnnamedSubscriber
            ? centrals.subtracting([caller]).subtracting([called].compactMap(\.self)).isEmpty
            : subscribers.allSatisfy { $0 == caller }
    }

    /// Whether nobody has called.
    var isFree: Bool { caller == nil }

    /// Takes what happened.
    ///
    /// - Returns: what is to be done, in order.
    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .connected(let central):
            if !ours.contains(central) { centrals.insert(central) }
            return identify()
        case .isOurs(let central):
            guard central != caller, !subscribers.contains(central) else { return [] }
            ours.insert(central)
            centrals.remove(central)
            return identify()
        case .disconnected(let central):
            ours.remove(central)
            centrals.remove(central)
            if centrals.isEmpty { hasUnnamedSubscriber = false }
            return left(central)
        case .subscribed(let central?):
            centrals.insert(central)
            if !subscribers.contains(central) { subscribers.append(central) }
            return identify()
        case .subscribed(nil):
            hasUnnamedSubscriber = true
            isOnlyCentralSubscriber = true
            return identify()
        case .unsubscribed(let central?):
            return left(central)
        case .unsubscribed(nil):
            // It is told when the last one leaves.
            hasUnnamedSubscriber = false
            return caller.map { left($0) } ?? []
        case .calls(let peer):
            called = peer
            return identify()
        case .ended:
            let caller = caller
            let called = called
            self = Callee()
            self.called = called
            return caller.map { [.end($0)] } ?? []
        }
    }

    /// A central has written a text.
    ///
    /// - Returns: what becomes of it, and what is to be done before.
    mutating func receiveText(of central: PeerID) -> (Verdict, [Action]) {
        if central == caller { return (.deliver, []) }
        centrals.insert(central)
        guard caller == nil, called == nil || called == central else {
            return (.busy, [.disconnect(central)])
        }
        guard hasUnnamedSubscriber || subscribers.contains(central) else {
            return (.notSubscribed, [])
        }
        return (.deliver, begin(central))
    }

    /// Finds who calls, if somebody does.
    private mutating func identify() -> [Action] {
        let next = caller ?? subscribers.first { called == nil || $0 == called }
        let others = subscribers.filter { $0 != next }.map { Action.disconnect($0) }
        if caller != nil { return others }
        if let next { return begin(next) + others }
        guard others.isEmpty else { return others }
        guard hasUnnamedSubscriber, isOnlyCentralSubscriber, centrals.count == 1,
            let only = centrals.first,
            called == nil || called == only
        else { return [] }
        return begin(only)
    }

    private mutating func begin(_ central: PeerID) -> [Action] {
        caller = central
        return [.begin(central)]
    }

    /// A central has unsubscribed, or is not connected any more.
    private mutating func left(_ central: PeerID) -> [Action] {
        subscribers.removeAll { $0 == central }
        guard central == caller else { return identify() }
        caller = nil
        isOnlyCentralSubscriber = false
        return [.end(central)] + identify()
    }
}
