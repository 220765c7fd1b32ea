internal import BLELocking
internal import CBLEDBus
internal import Glibc
internal import Synchronization

/// The thread that polls one connection and runs the actors that belong to it.
///
/// Each round runs the queued jobs, waits for the bus, for another thread's job or for the next
/// deadline, reads, and handles message by message. The queued jobs run after each message, so a reply and the
/// signals behind it are handled in the order of arrival.
///
/// The thread runs while there is a connection, a job or a deadline. For an actor that outlives its
/// connection it is started again, so no job is lost.
///
/// A custom executor, because a call and its reply cost 1.08 times a C program's this way, and 1.75
/// times with an actor on the global pool. `@unchecked Sendable`: only the loop's thread uses what the
/// lock does not protect.
package final class ConnectionLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
    private enum Work {
        case job(UnownedJob)
        case closure(@Sendable () -> Void)
    }

    private struct Shared {
        var posted: [Work] = []
        var hasThread = false
        var isWaiting = false
    }

    private let shared = Locked(Shared())
    private let wakeUp: Int32
    private let thread = Atomic<UInt>(0)
    private let lastDeadline = Atomic(0)

    private var queue: [Work] = []
    private var connection: RawConnection?
    private var strings = StringCache()
    private var receive: ((Message) -> Void)?
    private var checkDeadlines: ((ContinuousClock.Instant) -> Void)?

    /// The next deadline of a call.
    var nextDeadline: ContinuousClock.Instant?

    /// The deadlines of who uses the loop.
    private var deadlines = Deadlines()

    /// Whether nothing is read from the bus.
    private var isSuspended = false

    /// Whether messages may have been read and not handled.
    private var hasLeftovers = false

    init() {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit {
        Glibc.close(wakeUp)
    }

    // MARK: - Executor

    package func enqueue(_ job: consuming ExecutorJob) {
        post(.job(UnownedJob(job)))
    }

    /// Whether the current thread is the loop's.
    var isCurrent: Bool {
        thread.load(ordering: .relaxed) == pthread_self()
    }

    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

    package func checkIsolated() {
        precondition(isCurrent, "not on the thread of the connection's loop")
    }

    /// Runs a closure on the loop's thread, after what is queued.
    package func post(_ closure: @escaping @Sendable () -> Void) {
        post(.closure(closure))
    }

    /// Runs a closure on the loop's thread at a time, or up to a millisecond later.
    ///
    /// - Returns: a number with which to take it back.
    package func post(
        at time: ContinuousClock.Instant,
        _ closure: @escaping @Sendable () -> Void
    ) -> Int {
        let id = lastDeadline.add(1, ordering: .relaxed).newValue
        if isCurrent {
            deadlines.add(id, at: time, closure)
        } else {
            post { self.deadlines.add(id, at: time, closure) }
        }
        return id
    }

    /// Takes back a closure that was to run at a time; called on the loop's thread, it does not run any more.
    package func cancel(_ id: Int) {
        if isCurrent {
            deadlines.remove(id)
        } else {
            post { self.deadlines.remove(id) }
        }
    }

    private func post(_ work: Work) {
        if isCurrent {
            queue.append(work)
            return
        }
        let (needsThread, needsWakeUp) = shared.withLock { shared in
            shared.posted.append(work)
            defer {
                shared.hasThread = true
                shared.isWaiting = false
            }
            return (!shared.hasThread, shared.isWaiting)
        }
        if needsThread { startThread() }
        if needsWakeUp { eventfd_write(wakeUp, 1) }
    }

    // MARK: - Connection

    /// Connects, and handles received messages from then on; on the loop's thread.
    func open(
        _ address: BusAddress,
        onMessage receive: @escaping (Message) -> Void,
        onDeadline checkDeadlines: @escaping (ContinuousClock.Instant) -> Void
    ) throws(BusError) {
        // Nothing would wake the thread.
        guard wakeUp >= 0 else {
            throw BusError(
                .connectionRefused,
                "connecting to the bus at \(address.rawValue) failed: the system gives no eventfd"
            )
        }
        connection = try RawConnection(address: address.rawValue)
        self.receive = receive
        self.checkDeadlines = checkDeadlines
    }

    /// Sends a message; on the loop's thread.
    ///
    /// - Throws: ``BusError/Code/disconnected`` without a connection.
    func send(_ message: Message, serial: UInt32) throws(BusError) {
        guard connection != nil else { throw BusError(.disconnected, "the connection is closed") }
        let raw = try RawMessage(message, serial: serial)
        try connection?.send(raw)
    }

    /// Writes what is queued, and closes; on the loop's thread.
    func close() {
        connection?.flush()
        drop()
    }

    /// Stops or resumes reading from the bus; on the loop's thread.
    ///
    /// Messages that are queued are sent first.
    func setSuspended(_ isSuspended: Bool) {
        if isSuspended { connection?.flush() }
        self.isSuspended = isSuspended
        hasLeftovers = !isSuspended
    }

    /// Drops the connection; on the loop's thread.
    func drop() {
        connection = nil
        isSuspended = false
        hasLeftovers = false
        receive = nil
        checkDeadlines = nil
        nextDeadline = nil
    }
}

// MARK: - Thread

extension ConnectionLoop {
    private func startThread() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        defer { pthread_attr_destroy(&attributes) }
        var id = pthread_t()
        let status = pthread_create(
            &id,
            &attributes,
            { context in
                guard let context else { return nil }
                Unmanaged<ConnectionLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            Unmanaged.passRetained(self).toOpaque()
        )
        precondition(status == 0, "the system cannot start a thread for a connection to the bus")
    }

    private func run() {
        thread.store(pthread_self(), ordering: .relaxed)
        while true {
            runQueue()
            guard connection != nil || !deadlines.isEmpty else {
                if endThread() { return }
                continue
            }
            if wait() { readAndWrite() }
            runDue()
        }
    }

    /// Does what is to be done by now.
    private func runDue() {
        if let nextDeadline, nextDeadline <= .now { checkDeadlines?(.now) }
        guard let first = deadlines.next else { return }
        let now = ContinuousClock.now
        guard first <= now else { return }
        while let work = deadlines.removeNext(until: now) {
            work()
            runQueue()
        }
    }

    /// Ends the thread unless a job was queued; under the lock, so that none is lost.
    private func endThread() -> Bool {
        shared.withLock { shared in
            guard shared.posted.isEmpty else { return false }
            shared.hasThread = false
            thread.store(0, ordering: .relaxed)
            return true
        }
    }

    private func runQueue() {
        while true {
            if queue.isEmpty {
                shared.withLock { swap(&queue, &$0.posted) }
                guard !queue.isEmpty else { return }
            }
            var work: [Work] = []
            swap(&work, &queue)
            for item in work {
                switch item {
                case .job(let job):
                    job.runSynchronously(
                        isolatedTo: asUnownedSerialExecutor(),
                        taskExecutor: asUnownedTaskExecutor()
                    )
                case .closure(let closure):
                    closure()
                }
            }
        }
    }

    /// Reads, and handles what has arrived, message by message.
    ///
    /// libdbus reads 4 KiB at once, after a `poll` of its own. When that was a part of a message only, the
    /// next part is read without another `poll` here: a reply of 7 MB costs 2 % less.
    private func readAndWrite() {
        var isPart = true
        hasLeftovers = false
        for _ in 0..<8 where isPart {
            connection?.readAndWrite()
            while !isSuspended, let message = connection?.pop() {
                isPart = false
                handle(message)
                runQueue()
            }
        }
    }

    private func handle(_ message: borrowing RawMessage) {
        do {
            if let message = try message.value(&strings) { receive?(message) }
        } catch {
            // libdbus has validated the message. One that can't be copied is lost, and a call that waits
            // for it times out.
        }
    }

    /// Waits for the bus, another thread's job or the next deadline.
    ///
    /// - Returns: whether the bus can be read or written.
    private func wait() -> Bool {
        let hasWork = shared.withLock { shared in
            shared.isWaiting = shared.posted.isEmpty
            return !shared.posted.isEmpty
        }
        let writes = connection?.waitsForRoom ?? false
        // `poll` passes over a negative descriptor.
        let bus = isSuspended ? -1 : connection?.descriptor ?? -1
        var descriptors = [
            pollfd(fd: bus, events: Int16(writes ? POLLIN | POLLOUT : POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        poll(&descriptors, 2, hasWork || hasLeftovers ? 0 : millisecondsToDeadline())
        shared.withLock { $0.isWaiting = false }
        if descriptors[1].revents != 0 {
            var count: eventfd_t = 0
            eventfd_read(wakeUp, &count)
        }
        return descriptors[0].revents != 0 || hasLeftovers
    }

    private func millisecondsToDeadline() -> Int32 {
        guard var next = nextDeadline ?? deadlines.next else { return -1 }
        if let other = deadlines.next { next = min(next, other) }
        return Self.milliseconds(ContinuousClock.now.duration(to: next))
    }

    /// How long `poll` is to wait: rounded up, and for what is more than it can count as long as it can.
    static func milliseconds(_ left: Duration) -> Int32 {
        guard left > .zero else { return 0 }
        // Not every duration has so few seconds that their milliseconds are an integer.
        let (seconds, attoseconds) = min(left, .milliseconds(Int32.max)).components
        return Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
