internal import BLE
internal import BLEDBus
internal import BLELocking
internal import Dispatch
internal import Glibc

/// One end of a socket that carries values, one in each packet, beside D-Bus.
///
/// `AcquireWrite` and `AcquireNotify` give such sockets, to clients by bluetoothd, and to bluetoothd by
/// applications. Closed with ``close()``, and with the last reference to it.
final class PacketSocket: Sendable {
    /// How many packets may wait for the consumer.
    static let maximumCount = 256

    /// Whether a packet was sent.
    enum Outcome {
        case sent
        /// Too many others wait until the other end takes more.
        case full
        /// There is no other end any more.
        case closed
    }

    /// Why the packets of a socket ended that was not closed here.
    enum Ending: Error {
        /// The other end was closed.
        case closed
        /// More packets waited than may.
        case overflow
    }

    private let end: FileDescriptor
    /// What the other end sends, until somebody takes it.
    private let packets: Locked<AsyncThrowingStream<[UInt8], any Error>?>
    private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// Who sends.
    private let turns = Locked(Turns())

    /// Makes a pair of ends.
    ///
    /// - Parameter translate: the error with which the packets end.
    /// - Returns: this one, and the other one's descriptor; `nil` when the system has no socket left.
    static func pair(
        _ translate: @escaping @Sendable (Ending) -> any Error = { $0 }
    ) -> (PacketSocket, FileDescriptor)? {
        var ends: [Int32] = [0, 0]
        let flags = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(flags), 0, &ends) == 0 else { return nil }
        return (
            PacketSocket(FileDescriptor(owning: ends[0]), translate),
            FileDescriptor(owning: ends[1])
        )
    }

    /// Takes an end that another has made.
    ///
    /// - Parameters:
    ///   - end: the descriptor.
    ///   - translate: the error with which the packets end.
    ///   - ended: called once, when the other end was closed, or this one.
    init(
        _ end: FileDescriptor,
        _ translate: @escaping @Sendable (Ending) -> any Error = { $0 },
        ended: @escaping @Sendable () -> Void = {}
    ) {
        self.end = end
        let (packets, continuation) = AsyncThrowingStream.makeStream(
            of: [UInt8].self,
            bufferingPolicy: .bufferingOldest(Self.maximumCount)
        )
        self.packets = Locked(packets)
        self.continuation = continuation
        let source = DispatchSource.makeReadSource(fileDescriptor: end.rawValue)
        source.setEventHandler {
            if Self.read(end, into: continuation, translate) { source.cancel() }
        }
        source.setCancelHandler {
            // Keeps the descriptor until nothing more is read from it.
            withExtendedLifetime(end) {}
            ended()
        }
        source.activate()
    }

    /// Reads the next packet, and all that there are once the other end is closed: then there is no event for each.
    ///
    /// - Returns: whether no more come.
    private static func read(
        _ end: FileDescriptor,
        into packets: AsyncThrowingStream<[UInt8], any Error>.Continuation,
        _ translate: (Ending) -> any Error
    ) -> Bool {
        // A value has at most 512 bytes.
        var packet = [UInt8](repeating: 0, count: 512)
        repeat {
            let count = recv(end.rawValue, &packet, packet.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EAGAIN || errno == EINTR { return false }
            guard count > 0 || count == 0 && (isSending(end) || isUnread(end)) else {
                packets.finish(throwing: translate(.closed))
                return true
            }
            if case .dropped = packets.yield(Array(packet.prefix(count))) {
                packets.finish(throwing: translate(.overflow))
                // Nothing more is read: the other end need not send it, and others may have the access.
                shutdown(end.rawValue, Int32(SHUT_RDWR))
                return true
            }
        } while !isSending(end)
        return false
    }

    /// Whether the other end can still send; if so, a packet without bytes is none of its end.
    private static func isSending(_ end: FileDescriptor) -> Bool {
        // POLLRDHUP, which Glibc has for GNU's C alone.
        var state = pollfd(fd: end.rawValue, events: 0x2000, revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// Whether there are bytes to be read.
    private static func isUnread(_ end: FileDescriptor) -> Bool {
        var byteCount: Int32 = 0
        return ioctl(end.rawValue, UInt(FIONREAD), &byteCount) == 0 && byteCount > 0
    }

    /// What the other end sends, for one consumer; ends without an error once this end was closed.
    ///
    /// The socket is closed when the consumer wants no more: its task was cancelled, or nobody has the stream any longer.
    func takePackets() -> AsyncThrowingStream<[UInt8], any Error> {
        let taken = packets.withLock { packets in
            defer { packets = nil }
            return packets
        }
        guard let taken else { return AsyncThrowingStream { $0.finish() } }
        continuation.onTermination = { [end] reason in
            if case .cancelled = reason { shutdown(end.rawValue, Int32(SHUT_RDWR)) }
        }
        return taken
    }

    /// Whether the other end is still open.
    var isOpen: Bool {
        var state = pollfd(fd: end.rawValue, events: 0, revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// How many send, or wait for that.
    var sendingCount: Int { turns.withLock(\.count) }

    /// Sends a packet after those of earlier calls; waits while the other end takes no more.
    ///
    /// - Parameters:
    ///   - value: the packet.
    ///   - check: called before each attempt; what it throws ends the call.
    /// - Returns: whether it was sent.
    /// - Throws: `CancellationError`, then it was not sent; what `check` throws.
    func send(_ value: [UInt8], check: () async throws -> Void = {}) async throws -> Outcome {
        guard let turn = turns.withLock({ $0.join() }) else { return .full }
        defer { turns.withLock { $0.end(turn) } }
        try await turn.begin()
        while true {
            try await check()
            switch sendNow(value) {
            case .full: try await waitUntilWritable()
            case let outcome: return outcome
            }
        }
    }

    /// Sends a packet, if the other end takes it now.
    private func sendNow(_ value: [UInt8]) -> Outcome {
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        while Glibc.send(end.rawValue, value, value.count, flags) < 0 {
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == ENOBUFS ? .full : .closed
        }
        return .sent
    }

    /// Returns when the other end may take a packet, or is closed.
    private func waitUntilWritable() async throws {
        let writable = Promise<Void>()
        let source = DispatchSource.makeWriteSource(fileDescriptor: end.rawValue)
        source.setEventHandler {
            source.cancel()
            writable.fulfil()
        }
        source.setCancelHandler { [end] in withExtendedLifetime(end) {} }
        source.activate()
        defer { source.cancel() }
        try await writable.wait()
    }

    /// The other end reads its end of file, and so does this one.
    ///
    /// - Parameter error: with which the packets end; `nil` when their user wants no more.
    func close(_ error: (any Error)? = nil) {
        continuation.finish(throwing: error)
        shutdown(end.rawValue, Int32(SHUT_RDWR))
    }

    deinit {
        // Then the source reads the end, and is cancelled.
        close()
    }
}
