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
        var handlers: [(id: Int, call: OwnerHandler)] = []
        /// Whether the bus has confirmed that it reports new owners.
        var isConfirmed = false
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
    ///
    /// - Returns: the identifier for ``unwatch(_:_:)``.
    mutating func watch(_ name: String, _ handler: @escaping OwnerHandler) -> Int {
        lastID += 1
        names[name, default: Name()].handlers.append((lastID, handler))
        if let owner = names[name]?.owner { handler(owner) }
        return lastID
    }

    /// No longer calls one of a name's handlers.
    mutating func unwatch(_ name: String, _ id: Int) {
        names[name]?.handlers.removeAll { $0.id == id }
        guard let known = names[name], known.handlers.isEmpty, !known.isConfirmed else { return }
        names[name] = nil
    }

    /// The bus reports new owners of a name.
    mutating func confirm(_ name: String) { names[name]?.isConfirmed = true }

    func isConfirmed(_ name: String) -> Bool { names[name]?.isConfirmed == true }

    /// Sets the owner of a name, and calls the handlers when it has changed.
    mutating func setOwner(of name: String, to owner: String?) {
        guard let known = names[name], known.owner != .some(owner) else { return }
        names[name]?.owner = .some(owner)
        for handler in known.handlers { handler.call(owner) }
    }

    private mutating func updateOwner(_ signal: Message) {
        guard let body = try? signal.body(), body.count == 3, let name = body[0].string,
            let owner = body[2].string
        else { return }
        setOwner(of: name, to: owner.isEmpty ? nil : owner)
    }
}
