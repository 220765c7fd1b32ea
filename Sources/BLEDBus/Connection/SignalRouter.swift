/// The subscriptions to signals, and the owners of the names that they need.
///
/// A signal is passed to each subscription that it matches, in the order of the subscriptions.
struct SignalRouter {
    typealias Handler = @Sendable (Message) -> Void
    typealias OwnerHandler = @Sendable (String?) -> Void

    private struct Subscription {
        let id: Int
        let rule: MatchRule
        let handler: Handler
    }

    private struct Name {
        /// `nil` until the bus has replied.
        var owner: String??
        var handlers: [OwnerHandler] = []
    }

    private var subscriptions: [Subscription] = []
    private var names: [String: Name] = [:]
    private var lastID = 0

    mutating func add(_ rule: MatchRule, _ handler: @escaping Handler) -> Int {
        lastID += 1
        subscriptions.append(Subscription(id: lastID, rule: rule, handler: handler))
        return lastID
    }

    /// - Returns: the rule, if no other subscription has the same.
    mutating func remove(_ id: Int) -> MatchRule? {
        guard let index = subscriptions.firstIndex(where: { $0.id == id }) else { return nil }
        let rule = subscriptions.remove(at: index).rule
        return subscriptions.contains { $0.rule == rule } ? nil : rule
    }

    mutating func route(_ signal: Message) {
        if signal.interface == "org.freedesktop.DBus", signal.member == "NameOwnerChanged",
            signal.sender == "org.freedesktop.DBus"
        {
            updateOwner(signal)
        }
        for subscription in subscriptions
        where subscription.rule.matches(signal, owner: owner(of: subscription.rule.sender)) {
            subscription.handler(signal)
        }
    }

    private func owner(of name: String?) -> String? {
        guard let name else { return nil }
        return names[name].map { $0.owner ?? nil } ?? name
    }

    // MARK: - Names

    /// Observes a name.
    mutating func watch(_ name: String, _ handler: @escaping OwnerHandler) {
        names[name, default: Name()].handlers.append(handler)
        if let owner = names[name]?.owner { handler(owner) }
    }

    /// No longer observes a name.
    mutating func unwatch(_ name: String) {
        names[name] = nil
    }

    func isWatching(_ name: String) -> Bool { names[name] != nil }

    /// Sets the owner of a name, and calls the handlers when it has changed.
    mutating func setOwner(of name: String, to owner: String?) {
        guard let known = names[name], known.owner != .some(owner) else { return }
        names[name]?.owner = .some(owner)
        for handler in known.handlers { handler(owner) }
    }

    private mutating func updateOwner(_ signal: Message) {
        guard let body = try? signal.body(), body.count == 3, let name = body[0].string,
            let owner = body[2].string
        else { return }
        setOwner(of: name, to: owner.isEmpty ? nil : owner)
    }
}
