extension Connection {
    /// Asks for signals.
    ///
    /// - Parameters:
    ///   - rule: which ones. Those of a well-known sender come from the name's owner alone, so the
    ///     name is watched too.
    ///   - handler: called on the loop for each, in the order in which they arrived.
    /// - Returns: what ends it, see ``unsubscribe(_:)``; when the bus has confirmed. Signals may
    ///   have been handed over before.
    /// - Throws: ``ErrorReply``, ``BusError``, `CancellationError`; then nothing is asked for.
    @discardableResult
    package func subscribe(
        to rule: MatchRule,
        _ handler: @escaping @Sendable (Message) -> Void
    ) async throws -> Int {
        if let sender = rule.sender, !sender.hasPrefix(":"), sender != "org.freedesktop.DBus",
            !router.isWatching(sender)
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

    /// No longer asks for signals.
    package func unsubscribe(_ id: Int) {
        guard let rule = router.remove(id) else { return }
        do {
            call(try busCall("RemoveMatch", [.string(rule.text)])) { _ in }
        } catch {
            preconditionFailure("a rule that the bus took became no text: \(error)")
        }
    }

    /// Tells who owns a name, now and at each change.
    ///
    /// - Parameters:
    ///   - name: a well-known name.
    ///   - handler: called on the loop with the owner's unique name, or `nil` for nobody; the first
    ///     time before this method returns.
    /// - Throws: ``ErrorReply``, ``BusError``, `CancellationError`.
    package func watchOwner(
        of name: String,
        _ handler: @escaping @Sendable (String?) -> Void
    ) async throws {
        let isNew = !router.isWatching(name)
        router.watch(name, handler)
        if isNew {
            let rule = MatchRule(
                sender: "org.freedesktop.DBus",
                interface: "org.freedesktop.DBus",
                member: "NameOwnerChanged",
                firstArgument: name
            )
            do {
                _ = try await callBus("AddMatch", [.string(rule.text)])
            } catch {
                router.unwatch(name)
                throw error
            }
        }
        let question = try busCall("GetNameOwner", [.string(name)])
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            // Taken over at the reply's place among the signals, which may bring a newer owner.
            call(question) { result in
                done.resume(
                    with: result.map(Optional.some).flatMapError(Self.nobody).map {
                        self.takeOwner(of: name, $0)
                    }
                )
            }
        }
    }

    private static func nobody(_ error: any Error) -> Result<Message?, any Error> {
        guard let reply = error as? ErrorReply, reply.name == .nameHasNoOwner else {
            return .failure(error)
        }
        return .success(nil)
    }

    private func takeOwner(of name: String, _ reply: Message?) {
        router.setOwner(of: name, to: try? reply?.body().first?.string)
    }

    /// Takes a well-known name.
    ///
    /// - Throws: ``ErrorReply`` when the bus does not allow it; ``BusError`` when another has it.
    package func requestName(_ name: String) async throws {
        let doNotQueue: UInt32 = 4
        let primaryOwner: UInt32 = 1
        let reply = try await callBus("RequestName", [.string(name), .uint32(doNotQueue)])
        guard try reply.body().first == .uint32(primaryOwner) else {
            throw BusError(.connectionRefused, "taking the name \(name): another owns it")
        }
    }

    /// Gives a well-known name back.
    package func releaseName(_ name: String) async throws {
        _ = try await callBus("ReleaseName", [.string(name)])
    }
}
