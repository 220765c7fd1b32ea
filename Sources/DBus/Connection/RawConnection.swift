internal import CDBus
internal import Glibc

/// The one owner of a `DBusConnection`; used on its loop's thread only.
///
/// Nothing is registered with libdbus, no filter, no watch, no pending call: it never calls back.
struct RawConnection: ~Copyable {
    private let pointer: OpaquePointer

    /// What can be polled to learn that there is something to read or write.
    let descriptor: Int32

    /// A message may have 32 MiB, which is also the system bus's limit.
    private static let maximumMessageByteCount = 1 << 25

    /// When 16 MiB wait to be written the bus no longer reads, and nothing more is taken.
    static let maximumWaitingByteCount = 1 << 24

    /// Connects to the socket; the bus's greeting is still to come.
    ///
    /// - Throws: ``BusError/Code/connectionRefused``.
    init(address: String) throws(BusError) {
        guard !address.utf8.contains(0) else {
            throw BusError(.connectionRefused, "the bus address has a zero byte")
        }
        pointer = try withError(.connectionRefused, "connecting to the bus at \(address)") {
            dbus_connection_open_private(address, $0)
        }
        dbus_connection_set_exit_on_disconnect(pointer, 0)
        dbus_connection_set_max_message_size(pointer, Self.maximumMessageByteCount)
        var number: Int32 = -1
        dbus_connection_get_unix_fd(pointer, &number)
        descriptor = number
    }

    deinit {
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
    }

    /// Whether something waits to be written.
    var hasMessagesToSend: Bool {
        dbus_connection_has_messages_to_send(pointer) != 0
    }

    /// Queues a message and writes what the socket takes.
    ///
    /// - Throws: ``BusError/Code/overflow``, ``BusError/Code/outOfMemory``.
    func send(_ message: borrowing RawMessage) throws(BusError) {
        let waiting = dbus_connection_get_outgoing_size(pointer)
        guard waiting < Self.maximumWaitingByteCount else {
            throw BusError(
                .overflow,
                "sending a message: the bus has not read \(waiting) bytes yet"
            )
        }
        let isQueued = message.withPointer { dbus_connection_send(pointer, $0, nil) }
        guard isQueued != 0 else { throw BusError(.outOfMemory, "sending a message failed") }
    }

    /// Reads and writes what can be without waiting.
    func readAndWrite() {
        dbus_connection_read_write(pointer, 0)
    }

    /// Writes what is queued, and waits a second at most for a socket that is full.
    ///
    /// `dbus_connection_flush` waits for as long as the bus does not read.
    func flush() {
        for _ in 0..<10 where hasMessagesToSend {
            var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&descriptors, 1, 100)
            readAndWrite()
        }
    }

    /// The next received message; `nil` when there is none.
    func pop() -> RawMessage? {
        guard let message = dbus_connection_pop_message(pointer) else { return nil }
        return RawMessage(owning: message)
    }
}
