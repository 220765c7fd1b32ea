internal import BLE
internal import BLESession

// Who waits until a socket is open, or for its end.
extension Socket {
    /// Waits until the other end is connected; closes the socket when the task is cancelled.
    ///
    /// - Parameter opened: what ``beginOpening()`` has returned.
    /// - Throws: as ``open()``.
    func waitUntilOpen(_ opened: Promise<Void>) async throws {
        do {
            try await opened.wait()
        } catch let error as CancellationError {
            await close()
            throw error
        }
    }

    /// Opens the socket, and returns when it has been closed; closes it when the task is cancelled.
    ///
    /// One that opens again by itself (``SocketConfiguration/reconnects``) goes on after each end, until it is closed here.
    ///
    /// - Throws: as ``open()``; ``SocketError`` when the other end or the system has closed it. Cancelling throws nothing.
    public func run() async throws {
        let ending = runs.add()
        do {
            try await open()
            for try await _ in ending {}
        } catch is CancellationError {
            return
        }
        if Task.isCancelled { await close() }
    }

    /// What it is now.
    public var state: SocketState {
        if isOpen { return channel == nil ? .interrupted : .open }
        let isIdle = connection.assumeIsolated { $0.isIdle }
        return opening == nil && stream == nil && isIdle ? .closed : .opening
    }

    /// What happens from now on, as a stream of its own for each reader of this property.
    ///
    /// At most 4,096 events wait in it, of 16 MiB together; when more are dropped, ``SocketEvent/failedToReceive(_:)`` tells how many.
    public var events: AsyncStream<SocketEvent> {
        streams.add { [weak self] id in Task { await self?.removeStream(id) } }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }
}
