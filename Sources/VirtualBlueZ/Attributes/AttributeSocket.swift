internal import BLEDBus
internal import Dispatch
internal import Glibc

/// The daemon's end of a socket over which a client writes, or is notified, beside D-Bus; or an
/// application is written to, and notifies.
///
/// Each packet is one value. It is closed when nobody holds it.
final class AttributeSocket: Sendable {
    private let end: FileDescriptor

    /// Makes a pair of ends.
    ///
    /// - Returns: this one, and the client's; `nil` when the system has no socket left.
    static func pair() -> (AttributeSocket, FileDescriptor)? {
        var ends: [Int32] = [0, 0]
        let flags = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(flags), 0, &ends) == 0 else { return nil }
        return (AttributeSocket(FileDescriptor(owning: ends[0])), FileDescriptor(owning: ends[1]))
    }

    /// Takes an end that another has made.
    init(_ end: FileDescriptor) {
        self.end = end
    }

    /// What the other end writes next, once it does, for one reader; what is not asked for waits in the socket.
    ///
    /// - Returns: `nil` when the other end was closed, or ``close()`` has closed this one.
    func next() async -> [UInt8]? {
        while true {
            // What is longer is cut, as it is by a real daemon's buffer.
            var packet = [UInt8](repeating: 0, count: AttributeLimits.value)
            let count = recv(end.rawValue, &packet, packet.count, Int32(MSG_DONTWAIT))
            if count > 0 { return Array(packet.prefix(count)) }
            guard count < 0, errno == EAGAIN || errno == EINTR else { return nil }
            await waitUntilReadable()
        }
    }

    private func waitUntilReadable() async {
        await withCheckedContinuation { continuation in
            let source = DispatchSource.makeReadSource(fileDescriptor: end.rawValue)
            source.setEventHandler { source.cancel() }
            source.setCancelHandler { [end] in
                withExtendedLifetime(end) {}
                continuation.resume()
            }
            source.activate()
        }
    }

    /// Sends a value; what the client doesn't fetch is lost, as on the air.
    func send(_ value: [UInt8]) {
        let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
        _ = Glibc.send(end.rawValue, value, value.count, flags)
    }

    /// Whether the other end is still open; what a dying program holds is closed before it leaves the bus.
    var isOpen: Bool {
        var state = pollfd(fd: end.rawValue, events: 0, revents: 0)
        return poll(&state, 1, 0) == 0
    }

    /// Lets the client read its end of file.
    func close() {
        shutdown(end.rawValue, Int32(SHUT_RDWR))
    }

    deinit {
        close()
    }
}
