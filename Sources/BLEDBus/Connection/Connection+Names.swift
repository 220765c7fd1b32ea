internal import Logging

extension Connection {
    /// Observes who owns a name.
    ///
    /// - Parameters:
    ///   - name: a well-known name.
    ///   - handler: called on the loop with the owner's unique name, `nil` for none: the first time
    ///     before this method returns, then at each change.
    /// - Throws: ``ErrorReply``, ``BusError``, `CancellationError`.
    package func watchOwner(
        of name: String,
        _ handler: @escaping @Sendable (String?) -> Void
    ) async throws {
        let id = router.watch(name, handler)
        do {
            // Who comes before the bus has replied to another one asks as well: that one may fail, or be cancelled.
            if !router.isConfirmed(name) {
                let rule = MatchRule(
                    sender: "org.freedesktop.DBus",
                    interface: "org.freedesktop.DBus",
                    member: "NameOwnerChanged",
                    firstArgument: name
                )
                _ = try await callBus("AddMatch", [.string(rule.text)])
                router.confirm(name)
            }
            try await askOwner(of: name)
        } catch {
            router.unwatch(name, id)
            throw error
        }
    }

    /// Asks the bus who owns a name, for all that observe it.
    private func askOwner(of name: String) async throws {
        let question = try busCall("GetNameOwner", [.string(name)])
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            // Handled in order with the signals, which may bring a newer owner.
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

    /// Requests a well-known name.
    ///
    /// - Throws: ``ErrorReply`` when the bus does not allow it; ``BusError/Code/nameTaken`` when another
    ///   connection owns it.
    package func requestName(_ name: String) async throws {
        let doNotQueue: UInt32 = 4
        let primaryOwner: UInt32 = 1
        let reply = try await callBus("RequestName", [.string(name), .uint32(doNotQueue)])
        guard try reply.body().first == .uint32(primaryOwner) else {
            throw BusError(
                .nameTaken,
                "requesting the name \(name) failed: another connection owns it"
            )
        }
    }

    /// Releases a well-known name.
    package func releaseName(_ name: String) async throws {
        _ = try await callBus("ReleaseName", [.string(name)])
    }

    /// Waits until the bus has dropped this connection and all its names, after ``close()``.
    ///
    /// A bus notices that a connection was closed when it next reads from it. That can be a while after
    /// ``close()`` has returned: the bus is busy, or a child process that has just been forked still
    /// holds the socket. Until then the names are taken.
    ///
    /// Returns at once when the connection is not closed, or when the bus is gone.
    ///
    /// - Parameter timeLimit: how long to wait for a bus that hangs.
    package func waitUntilDropped(timeLimit: Duration = .seconds(5)) async {
        guard isClosed, !uniqueName.isEmpty, let address else { return }
        let (drops, dropped) = AsyncStream.makeStream(of: Never.self)
        let witness: Connection
        do {
            witness = try await Connection.open(address, timeLimit: timeLimit, logger: logger)
            await witness.onDisconnect { _ in dropped.finish() }
            try await witness.watchOwner(of: uniqueName) { if $0 == nil { dropped.finish() } }
        } catch {
            logger.debug("not waiting until the bus has dropped \(uniqueName): \(error)")
            return
        }
        await withTaskGroup { group in
            group.addTask { for await _ in drops {} }
            // The limit alone: a bus that drops the connection ends the wait before.
            group.addTask { try? await Task.sleep(for: timeLimit) }
            await group.next()
            group.cancelAll()
        }
        await witness.close()
    }
}
