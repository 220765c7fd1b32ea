internal import CBLEDBus

/// Owns a `DBusMessage`.
struct RawMessage: ~Copyable {
    private let pointer: OpaquePointer

    /// Takes over a reference to a message.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        dbus_message_unref(pointer)
    }

    /// Makes a message to send.
    ///
    /// libdbus validates marshalled bytes and returns an error, where its functions for appending values
    /// abort the process. It is cheaper, too. Only descriptors have to be appended one by one, see
    /// ``appending(_:serial:)``.
    init(_ message: Message, serial: UInt32) throws(BusError) {
        guard message.descriptors.isEmpty else {
            self = try Self.appending(message, serial: serial)
            return
        }
        let bytes = try MessageHeader.marshal(message, serial: serial)
        self.init(
            owning: try withError(.invalidMessage, "making a message failed") { error in
                bytes.withUnsafeBytes { bytes in
                    dbus_message_demarshal(
                        bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(bytes.count),
                        error
                    )
                }
            }
        )
    }

    func withPointer<Output>(_ use: (OpaquePointer) -> Output) -> Output {
        use(pointer)
    }

    /// Returns the message as a value.
    ///
    /// The bytes are copied at once: libdbus counts received messages that are kept against a limit, and
    /// stops reading when it is reached.
    ///
    /// - Parameter strings: the strings of earlier messages.
    /// - Returns: the message; `nil` for one of an unknown kind, which is to be ignored.
    /// - Throws: ``BusError/Code/outOfMemory``; ``BusError/Code/unexpectedBody``.
    func value(_ strings: inout StringCache) throws(BusError) -> Message? {
        let descriptors = dbus_message_contains_unix_fds(pointer) != 0 ? takeDescriptors() : []
        var bytes: UnsafeMutablePointer<CChar>?
        var count: Int32 = 0
        guard dbus_message_marshal(pointer, &bytes, &count) != 0, let bytes else {
            throw BusError(.outOfMemory, "copying a received message failed: out of memory")
        }
        let wire = WireBytes(owning: UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return try MessageHeader.unmarshal(wire, descriptors, &strings)
    }
}

// MARK: - Descriptors

extension RawMessage {
    /// The descriptors in the order in which the body refers to them, each one duplicated; `nil` for an index without one.
    private func takeDescriptors() -> [FileDescriptor?] {
        var descriptors: [FileDescriptor?] = []
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(pointer, &iterator) != 0 else { return [] }
        Self.collect(&iterator, &descriptors)
        return descriptors
    }

    private static func collect(
        _ iterator: inout DBusMessageIter,
        _ descriptors: inout [FileDescriptor?]
    ) {
        while true {
            switch dbus_message_iter_get_arg_type(&iterator) {
            case CDBUS_TYPE_INVALID:
                return
            case CDBUS_TYPE_UNIX_FD:
                var number: Int32 = -1
                dbus_message_iter_get_basic(&iterator, &number)
                descriptors.append(number >= 0 ? FileDescriptor(owning: number) : nil)
            case CDBUS_TYPE_ARRAY, CDBUS_TYPE_STRUCT, CDBUS_TYPE_DICT_ENTRY, CDBUS_TYPE_VARIANT:
                var inner = DBusMessageIter()
                dbus_message_iter_recurse(&iterator, &inner)
                collect(&inner, &descriptors)
            default:
                break
            }
            dbus_message_iter_next(&iterator)
        }
    }

    /// Makes a message with descriptors, which `dbus_message_demarshal` does not support.
    ///
    /// Only for descriptors, numbers and strings that are arguments themselves: no interface of BlueZ has
    /// them in containers.
    private static func appending(
        _ message: Message,
        serial: UInt32
    ) throws(BusError) -> RawMessage {
        guard let raw = dbus_message_new(Int32(message.kind.rawValue)) else {
            throw BusError(.outOfMemory, "making a message failed: out of memory")
        }
        let result = RawMessage(owning: raw)
        dbus_message_set_serial(raw, serial)
        dbus_message_set_no_reply(raw, message.expectsReply ? 0 : 1)
        if message.replySerial != 0 { dbus_message_set_reply_serial(raw, message.replySerial) }
        try set(message.path?.rawValue, dbus_message_set_path, raw)
        try set(message.interface, dbus_message_set_interface, raw)
        try set(message.member, dbus_message_set_member, raw)
        try set(message.errorName, dbus_message_set_error_name, raw)
        try set(message.destination, dbus_message_set_destination, raw)
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(raw, &iterator)
        for value in try message.body() { try append(value, to: &iterator) }
        return result
    }

    private static func set(
        _ text: String?,
        _ store: (OpaquePointer?, UnsafePointer<CChar>?) -> dbus_bool_t,
        _ raw: OpaquePointer
    ) throws(BusError) {
        guard let text else { return }
        guard store(raw, text) != 0 else {
            throw BusError(.outOfMemory, "making a message failed: out of memory")
        }
    }

    private static func append(
        _ value: Value,
        to iterator: inout DBusMessageIter
    ) throws(BusError) {
        let isDone: dbus_bool_t
        switch value {
        case .descriptor(let descriptor):
            var number = descriptor.rawValue
            isDone = dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_UNIX_FD, &number)
        case .uint16(var number):
            isDone = dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_UINT16, &number)
        case .uint32(var number):
            isDone = dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_UINT32, &number)
        case .string(let text):
            isDone = text.withCString { text in
                var text: UnsafePointer<CChar>? = text
                return dbus_message_iter_append_basic(&iterator, CDBUS_TYPE_STRING, &text)
            }
        default:
            throw BusError(
                .invalidMessage,
                "a message with file descriptors cannot have an argument of type '\(value.signature)'"
            )
        }
        guard isDone != 0 else {
            throw BusError(
                .invalidMessage,
                "libdbus did not accept an argument of type '\(value.signature)'"
            )
        }
    }
}

/// Calls a function of libdbus that returns a pointer or sets an error.
func withError(
    _ code: BusError.Code,
    _ attempt: String,
    _ call: (UnsafeMutablePointer<DBusError>) -> OpaquePointer?
) throws(BusError) -> OpaquePointer {
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard let result = call(&error) else {
        let reason = error.message.map { String(cString: $0) } ?? "for no known reason"
        throw BusError(code, "\(attempt): \(reason)")
    }
    return result
}
