internal import BLE
internal import DBus

/// Hands reads, writes and events to a responder, one at a time and in wire order.
///
/// One task owns the responder's turns, another one the time limit of each call.
struct ResponderQueue {
    private enum Item: Sendable {
        case read(MethodCall, BluetoothUUID, GATTRequest)
        case write(MethodCall, BluetoothUUID, GATTRequest)
        case event(PublicationEvent)
    }

    private struct Deadline: Sendable {
        let instant: ContinuousClock.Instant
        let call: MethodCall
    }

    /// bluetoothd refuses in the responder's place after 5 s, and dies when the link is lost while
    /// a write waits: a responder that hangs is refused for before that.
    private static let timeLimit: Duration = .seconds(4)

    /// What may wait for a slow responder; more calls are refused.
    private static let maximumCount = 1024

    private let items: AsyncStream<Item>.Continuation
    private let deadlines: AsyncStream<Deadline>.Continuation
    private let end: AsyncStream<PublicationEvent>.Continuation

    /// An element after each reply to a write, in their order; for one consumer.
    let replies: AsyncStream<Void>

    init(_ responder: any GATTResponder) {
        let (items, item) = AsyncStream.makeStream(
            of: Item.self,
            bufferingPolicy: .bufferingOldest(Self.maximumCount)
        )
        let (deadlines, deadline) = AsyncStream.makeStream(
            of: Deadline.self,
            bufferingPolicy: .bufferingOldest(Self.maximumCount)
        )
        let (ends, end) = AsyncStream.makeStream(of: PublicationEvent.self)
        let (replies, reply) = AsyncStream.makeStream(of: Void.self)
        self.replies = replies
        self.items = item
        self.deadlines = deadline
        self.end = end
        // Both end with their streams. The responder is not called on the bus's thread, which it
        // could stop.
        Task { @concurrent in
            for await item in items { await Self.serve(item, responder, reply) }
            reply.finish()
            for await event in ends { await responder.handle(event) }
        }
        Task { @concurrent in
            for await deadline in deadlines { await Self.watch(deadline) }
        }
    }

    func read(_ call: MethodCall, _ uuid: BluetoothUUID, _ request: GATTRequest) {
        _ = add(.read(call, uuid, request), call)
    }

    /// - Returns: whether the responder will be asked; else the write is refused already.
    func write(_ call: MethodCall, _ uuid: BluetoothUUID, _ request: GATTRequest) -> Bool {
        add(.write(call, uuid, request), call)
    }

    func tell(_ event: PublicationEvent) {
        items.yield(.event(event))
    }

    /// Nothing comes any more but, after what waits already, why.
    func finish(_ error: RadioError?) {
        if let error { end.yield(.ended(error)) }
        end.finish()
        items.finish()
        deadlines.finish()
    }

    private func add(_ item: Item, _ call: MethodCall) -> Bool {
        guard case .enqueued = items.yield(item) else {
            call.fail(BlueZError.reply(for: .unlikelyError))
            return false
        }
        deadlines.yield(Deadline(instant: .now + Self.timeLimit, call: call))
        return true
    }

    private static func watch(_ deadline: Deadline) async {
        // Only cancellation throws, and nobody cancels.
        try? await ContinuousClock().sleep(until: deadline.instant, tolerance: .milliseconds(100))
        deadline.call.fail(BlueZError.reply(for: .unlikelyError))
    }

    private static func serve(
        _ item: Item,
        _ responder: any GATTResponder,
        _ reply: AsyncStream<Void>.Continuation
    ) async {
        switch item {
        case .event(let event):
            await responder.handle(event)
        case .read(let call, let uuid, let request):
            do throws(ATTError) {
                let value = try await responder.read(uuid, request)
                guard request.offset <= value.count else { throw .invalidOffset }
                call.reply([.bytes(Array(value.dropFirst(request.offset)))])
            } catch {
                call.fail(BlueZError.reply(for: error))
            }
        case .write(let call, let uuid, let request):
            do throws(ATTError) {
                guard let value = call.value else { throw .unlikelyError }
                try await responder.write(value, to: uuid, request)
                call.reply()
            } catch {
                call.fail(BlueZError.reply(for: error))
            }
            reply.yield()
        }
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
