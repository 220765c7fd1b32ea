internal import BLESession

// Events: to observers and streams.
extension EightBallCentral {
    /// Adds an observer; it is told the events from now on.
    ///
    /// While 4096 events wait because an observer takes long, more are dropped; observers are then told
    /// ``EightBallError/Code/overflow``, and how many were.
    ///
    /// - Parameter observer: the observer, held weakly.
    public func addObserver(_ observer: any CentralObserver) async {
        await observers.add(observer) { [weak self] observer, count in
            guard let self else { return }
            let failure = EightBallError(missed: count)
            await self.keep(failure)
            await CentralEvent.failed(failure).deliver(to: observer, from: self)
        }
    }

    /// Keeps a failure that is reported to observers alone.
    private func keep(_ failure: EightBallError) { error = failure }

    /// Removes an observer; it is told nothing more.
    ///
    /// - Parameter observer: the observer.
    public func removeObserver(_ observer: any CentralObserver) async {
        await observers.remove(observer)
    }

    /// Whether an observer is told events.
    ///
    /// - Parameter observer: the observer.
    /// - Returns: whether it was added and not removed.
    public func isObserving(_ observer: any CentralObserver) async -> Bool {
        await observers.contains(observer)
    }

    /// The events from now on, as a stream of its own for each reader of this property.
    public var events: AsyncStream<CentralEvent> {
        streams.add { [weak self] id in
            // In a task, since the consumer may be anywhere when it drops the stream.
            Task { await self?.removeStream(id) }
        }
    }

    private func removeStream(_ id: Int) { streams.remove(id) }

    /// Sends an event to streams and observers.
    func report(_ event: CentralEvent) {
        event.log(to: logger)
        switch event {
        case .failed(let failure), .failedToAsk(_, _, let failure), .disconnected(_, let failure?):
            error = failure
        case .radioBecame, .discovered, .changed, .lost, .connected, .disconnected, .asked,
            .answered:
            break
        }
        streams.send(event)
        observers.call { await event.deliver(to: $0, from: self) }
    }
}
