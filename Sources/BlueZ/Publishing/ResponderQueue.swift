internal import BLE
internal import BLEDBus

/// Hands reads, writes and events to a responder, one at a time and in wire order.
///
/// One task owns the responder's turns, another one the time limit of each call. A call whose time is over is
/// refused, and the responder does not get it. A write whose refusal reaches nobody is accepted instead, and
/// keeps its turn: refused, it would be lost without a word.
struct ResponderQueue {
    private enum Item: Sendable {
        case read(MethodCall, AttributeID, GATTRequest)
        case write(MethodCall, AttributeID, GATTRequest, losesRefusal: Bool)
        case event(PublicationEvent)
        /// Writes that had no room, by their number.
        case lost(Int)
        case published(any Publication)
    }

    /// A responder that hangs is replied for after this time.
    private let timeLimit: Duration

    private let items: AsyncStream<Item>.Continuation
    private let calls: AsyncStream<Void>.Continuation
    private let end: AsyncStream<PublicationEvent>.Continuation
    private let backlog = ResponderBacklog()
    /// How long ago this was made.
    private let elapsed: @Sendable () -> Duration

    /// An element after each reply to a write, in their order; for one consumer.
    let replies: AsyncStream<Void>

    init(
        _ responder: any GATTResponder,
        _ recovery: Recovery,
        _ executor: any RadioExecutor
    ) {
        // Neither grows beyond what the backlog admits.
        let (items, item) = AsyncStream.makeStream(of: Item.self)
        let (replies, reply) = AsyncStream.makeStream(of: Void.self)
        let (calls, call) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let (ends, end) = AsyncStream.makeStream(of: PublicationEvent.self)
        self.replies = replies
        self.items = item
        self.calls = call
        self.end = end
        elapsed = recovery.stopwatch()
        timeLimit = recovery.responderLimit
        // Both end with their streams. A responder that is not known to be prompt is not called on the bus's
        // thread, which it could stop.
        let preferred = responder is any PromptResponder ? executor : nil
        Task(executorPreference: preferred) { @concurrent [backlog] in
            backlog.callsResponderHere()
            for await item in items { await Self.serve(item, responder, backlog, reply) }
            reply.finish()
            for await event in ends { await responder.handle(event) }
        }
        Task(executorPreference: executor) {
            @concurrent [backlog, elapsed, clock = recovery.clock] in
            for await _ in calls { await Self.watch(backlog, clock, elapsed, reply) }
        }
    }

    /// Whether this is called by the responder, in one of its methods.
    var isCalling: Bool { backlog.isResponderCalledHere }

    func read(_ call: MethodCall, _ id: AttributeID, _ request: GATTRequest) {
        _ = add(.read(call, id, request), call, request.central)
    }

    /// - Parameters:
    ///   - call: the write.
    ///   - id: what is written to.
    ///   - request: who writes.
    ///   - losesRefusal: whether the central is never told that its write was refused.
    /// - Returns: whether the responder will be asked; else the write is refused already, or lost.
    func write(
        _ call: MethodCall,
        _ id: AttributeID,
        _ request: GATTRequest,
        losesRefusal: Bool
    ) -> Bool {
        let item = Item.write(call, id, request, losesRefusal: losesRefusal)
        guard losesRefusal else { return add(item, call, request.central) }
        if add(item, call, request.central, losesRefusal) {
            backlog.didAccept(id, from: request.central)
            return true
        }
        if let gap = backlog.lose(id, from: request.central) { items.yield(.lost(gap)) }
        return false
    }

    /// Hands the responder its publication.
    func add(_ publication: any Publication) {
        items.yield(.published(publication))
    }

    /// - Returns: whether the responder will be called; else too many events wait for it.
    func add(_ event: PublicationEvent) -> Bool {
        guard backlog.addEvent() else { return false }
        items.yield(.event(event))
        return true
    }

    /// Kept when no call of a central, or of any, is without a reply; fails when nothing comes any more.
    func promiseReplies(to central: PeerID? = nil) -> Promise<Void> {
        backlog.promiseReplies(to: central)
    }

    /// Nothing comes any more but, after what waits already, why.
    func finish(_ error: RadioError?) {
        if let error { end.yield(.ended(error)) }
        end.finish()
        items.finish()
        calls.finish()
        backlog.failPromises(error ?? RadioError(.withdrawn, "the publication ended"))
    }

    private func add(
        _ item: Item,
        _ call: MethodCall,
        _ central: PeerID,
        _ losesRefusal: Bool = false
    ) -> Bool {
        let deadline = elapsed() + timeLimit
        guard backlog.add(call, of: central, until: deadline, losesRefusal: losesRefusal) else {
            if losesRefusal {
                call.reply()
            } else {
                call.fail(BlueZError.reply(for: .unlikelyError))
            }
            return false
        }
        items.yield(item)
        calls.yield()
        return true
    }

    /// Replies to each call whose time is over, until none waits.
    private static func watch(
        _ backlog: ResponderBacklog,
        _ clock: any Clock<Duration>,
        _ elapsed: @Sendable () -> Duration,
        _ reply: AsyncStream<Void>.Continuation
    ) async {
        while let deadline = backlog.nextDeadline {
            // Only cancellation throws, and nobody cancels.
            try? await clock.sleep(for: deadline - elapsed(), tolerance: .milliseconds(100))
            for (call, losesRefusal) in backlog.expire(at: elapsed()) {
                if losesRefusal {
                    call.reply()
                } else {
                    call.fail(BlueZError.reply(for: .unlikelyError))
                }
                end(call, backlog, reply)
            }
        }
    }

    private static func serve(
        _ item: Item,
        _ responder: any GATTResponder,
        _ backlog: ResponderBacklog,
        _ reply: AsyncStream<Void>.Continuation
    ) async {
        switch item {
        case .published(let publication):
            await responder.didPublish(publication)
        case .event(let event):
            backlog.beginEvent()
            await responder.handle(event)
        case .lost(let gap):
            if let event = backlog.takeLost(gap) { await responder.handle(event) }
        case .read(let call, let id, let request):
            guard backlog.begin(call) else { return }
            do throws(ATTError) {
                let value = try await responder.read(id, request)
                guard request.offset <= value.count else { throw .invalidOffset }
                call.reply([.bytes(Array(value.dropFirst(request.offset)))])
            } catch {
                call.fail(BlueZError.reply(for: error))
            }
            end(call, backlog, reply)
        case .write(let call, let id, let request, let losesRefusal):
            guard backlog.begin(call) || losesRefusal else { return }
            do throws(ATTError) {
                guard let value = call.value else { throw .unlikelyError }
                try await responder.write(value, to: id, request)
                call.reply()
            } catch {
                call.fail(BlueZError.reply(for: error))
            }
            end(call, backlog, reply)
        }
    }

    /// A call was replied to; says so once for each write.
    private static func end(
        _ call: MethodCall,
        _ backlog: ResponderBacklog,
        _ reply: AsyncStream<Void>.Continuation
    ) {
        if backlog.end(call), call.message.member == "WriteValue" { reply.yield() }
    }
}

extension MethodCall {
    /// The value of a `WriteValue`.
    fileprivate var value: [UInt8]? {
        (try? message.body())?.first?.bytes
    }

    /// The options of a `ReadValue` or `WriteValue`.
    var options: [String: Value] {
        (try? message.body())?.last?.properties ?? [:]
    }
}
