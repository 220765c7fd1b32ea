extension Connection {
    /// Subscribes to signals.
    ///
    /// Returns when the bus has confirmed; the handler may have been called before.
    ///
    /// - Parameters:
    ///   - rule: the signals. With a well-known name as sender they are those of its owner, whom this
    ///     observes too.
    ///   - handler: called on the loop for each signal, in the order of arrival.
    /// - Returns: the identifier for ``unsubscribe(_:)``.
    /// - Throws: ``ErrorReply``, ``BusError``, `CancellationError`; then there is no subscription.
    @discardableResult
    package func subscribe(
        to rule: MatchRule,
        _ handler: @escaping @Sendable (Message) -> Void
    ) async throws -> Int {
        if let sender = rule.sender, !sender.hasPrefix(":"), sender != "org.freedesktop.DBus",
            !router.isConfirmed(sender)
        {
            try await watchOwner(of: sender) { _ in }
        }
        let id = router.add(rule, handler)
        do {
            _ = try await callBus("AddMatch", [.string(rule.text)])
        } catch {
            _ = router.remove(id)
            throw error
        }
        return id
    }

    /// Ends a subscription.
    package func unsubscribe(_ id: Int) {
        guard let rule = router.remove(id) else { return }
        do {
            call(try busCall("RemoveMatch", [.string(rule.text)])) { _ in }
        } catch {
            preconditionFailure("a rule that the bus has accepted is not valid: \(error)")
        }
    }
}
