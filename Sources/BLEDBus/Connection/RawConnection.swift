internal import CBLEDBus
internal import Glibc

/// Owns a `DBusConnection`; used on its loop's thread only.
///
/// No filter or pending call is registered, so libdbus calls back for its ``Watches`` alone.
struct RawConnection: ~Copyable {
    private let pointer: OpaquePointer
    private let watches: Watches

    /// The socket, for `poll`.
    let descriptor: Int32

    /// 32 MiB, as on the system bus.
    private static let maximumMessageByteCount = 1 << 25

    /// 16 MiB; when that much waits to be written the bus does not read, and sending fails.
    static let maximumWaitingByteCount = 1 << 24

    /// Connects to the socket; `Hello` is still to be sent.
    ///
    /// - Throws: ``BusError/Code/connectionRefused``.
    init(address: String) throws(BusError) {
        guard !address.utf8.contains(0) else {
            throw BusError(
                .connectionRefused,
                "connecting to a bus failed: its address has a zero byte"
            )
        }
        let connection = try withError(.connectionRefused, "connecting to the bus at \(address)") {
            dbus_connection_open_private(address, $0)
        }
        let watches = Watches()
        guard watches.attach(to: connection) else {
            dbus_connection_close(connection)
            dbus_connection_unref(connection)
            throw BusError(
                .outOfMemory,
                "connecting to the bus at \(address) failed: out of memory"
            )
        }
        dbus_connection_set_exit_on_disconnect(connection, 0)
        dbus_connection_set_max_message_size(connection, Self.maximumMessageByteCount)
        var number: Int32 = -1
        dbus_connection_get_unix_fd(connection, &number)
        descriptor = number
        pointer = connection
        self.watches = watches
    }

    deinit {
        dbus_connection_close(pointer)
        dbus_connection_unref(pointer)
    }

    /// Whether messages wait to be written.
    var hasMessagesToSend: Bool {
        dbus_connection_has_messages_to_send(pointer) != 0
    }

    /// Whether something can be written once the socket has room.
    ///
    /// Not the same as ``hasMessagesToSend``: while the bus has yet to authenticate this end, `Hello` waits for that.
    var waitsForRoom: Bool { watches.isWriting }

    /// Queues a message, and writes as much as the socket accepts.
    ///
    /// - Throws: ``BusError/Code/overflow``, ``BusError/Code/outOfMemory``.
    func send(_ message: borrowing RawMessage) throws(BusError) {
        let waiting = dbus_connection_get_outgoing_size(pointer)
        guard waiting < Self.maximumWaitingByteCount else {
            throw BusError(
                .overflow,
                "sending a message failed: the bus has \(waiting) bytes to read"
            )
        }
        let isQueued = message.withPointer { dbus_connection_send(pointer, $0, nil) }
        guard isQueued != 0 else {
            throw BusError(.outOfMemory, "sending a message failed: out of memory")
        }
    }

    /// Reads and writes without blocking.
    func readAndWrite() {
        dbus_connection_read_write(pointer, 0)
    }

    /// Writes what is queued, and waits for at most a second while the socket is full.
    ///
    /// `dbus_connection_flush` would wait for as long as the bus does not read.
    func flush() {
        for _ in 0..<10 where hasMessagesToSend {
            var descriptors = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&descriptors, 1, 100)
            readAndWrite()
        }
    }

    /// Removes the next received message; `nil` when there is none.
    func pop() -> RawMessage? {
        guard let message = dbus_connection_pop_message(pointer) else { return nil }
        return RawMessage(owning: message)
    }
}
