/// A message, received or to be sent.
///
/// The body stays marshalled until it is read, and is read in place.
package struct Message: Sendable {
    /// The kinds of messages.
    package enum Kind: UInt8, Sendable {
        case methodCall = 1
        case methodReturn = 2
        case error = 3
        case signal = 4
    }

    package internal(set) var kind: Kind
    package internal(set) var serial: UInt32 = 0
    package internal(set) var replySerial: UInt32 = 0
    package internal(set) var expectsReply = true
    package internal(set) var path: ObjectPath?
    package internal(set) var interface: String?
    package internal(set) var member: String?
    package internal(set) var errorName: String?
    package internal(set) var destination: String?
    package internal(set) var sender: String?
    package internal(set) var signature: Signature = .empty
    /// The file descriptors, by the indices that the body has for them.
    private(set) var descriptors: [FileDescriptor?] = []
    private(set) var payload: Payload
    /// The position of the signature in a received message.
    var types = 0..<0

    /// The marshalled body.
    enum Payload: Sendable {
        case received(WireBytes, start: Int, isSwapped: Bool)
        case written([UInt8])
    }

    init(kind: Kind, payload: Payload) {
        self.kind = kind
        self.payload = payload
    }

    private init(kind: Kind, body: [Value]) throws(BusError) {
        var writer = MessageWriter()
        var types = ""
        for value in body {
            try writer.write(value)
            types += value.signature.rawValue
        }
        let descriptors = writer.descriptors
        self.init(kind: kind, payload: .written(writer.finish()))
        self.descriptors = descriptors
        signature = body.count == 1 ? Signature(unchecked: types) : try Signature(types)
    }

    /// Makes a method call.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for a name or a value that is not valid.
    package static func methodCall(
        to destination: String,
        at path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = []
    ) throws(BusError) -> Message {
        try check(destination, Names.isBus, "a bus name")
        try check(interface, Names.isInterface, "an interface name")
        try check(member, Names.isMember, "a member name")
        var message = try Message(kind: .methodCall, body: body)
        message.destination = destination
        message.path = path
        message.interface = interface
        message.member = member
        return message
    }

    /// Makes a signal, a broadcast or for one connection.
    ///
    /// - Throws: as ``methodCall(to:at:_:_:_:)``.
    package static func signal(
        from path: ObjectPath,
        _ interface: String,
        _ member: String,
        _ body: [Value] = [],
        to destination: String? = nil
    ) throws(BusError) -> Message {
        try check(interface, Names.isInterface, "an interface name")
        try check(member, Names.isMember, "a member name")
        guard interface != "org.freedesktop.DBus.Local",
            path.rawValue != "/org/freedesktop/DBus/Local"
        else {
            throw BusError(
                .invalidMessage,
                "a signal of \(interface) cannot be sent: the name is reserved"
            )
        }
        if let destination { try check(destination, Names.isBus, "a bus name") }
        var message = try Message(kind: .signal, body: body)
        message.path = path
        message.interface = interface
        message.member = member
        message.destination = destination
        return message
    }

    /// Makes the reply to this call.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for a value that is not valid.
    package func reply(_ body: [Value] = []) throws(BusError) -> Message {
        var message = try Message(kind: .methodReturn, body: body)
        message.replySerial = serial
        message.destination = sender
        return message
    }

    /// Makes the error reply to this call.
    ///
    /// - Throws: ``BusError/Code/invalidMessage`` for a name that is not valid.
    package func reply(_ error: ErrorReply) throws(BusError) -> Message {
        try Self.check(error.name.rawValue, Names.isError, "an error name")
        var message = try Message(
            kind: .error,
            body: error.text.isEmpty ? [] : [.string(error.text)]
        )
        message.errorName = error.name.rawValue
        message.replySerial = serial
        message.destination = sender
        return message
    }

    private static func check(
        _ name: String,
        _ isValid: (String) -> Bool,
        _ what: String
    ) throws(BusError) {
        guard isValid(name) else {
            throw BusError(.invalidMessage, "'\(name)' is not \(what)")
        }
    }

    // MARK: - Body

    /// Reads the body, beginning with its first value.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody`` when a value does not have the type that is read.
    package func read<Output>(
        _ readBody: (inout MessageReader) throws(BusError) -> Output
    ) throws(BusError) -> Output {
        let (wire, body, types, isSwapped) = marshalledBody
        defer { withExtendedLifetime(wire) {} }
        var reader = MessageReader(
            wire.part(UnsafeRawBufferPointer(rebasing: wire.buffer[body])),
            types: UnsafeRawBufferPointer(rebasing: wire.buffer[types])
                .assumingMemoryBound(to: UInt8.self),
            isSwapped: isSwapped,
            descriptors: descriptors
        )
        return try readBody(&reader)
    }

    /// Returns all values of the body.
    ///
    /// - Throws: ``BusError/Code/unexpectedBody``.
    package func body() throws(BusError) -> [Value] {
        try read { (reader) throws(BusError) in
            var values: [Value] = []
            while reader.nextType != 0 { values.append(try reader.readValue()) }
            return values
        }
    }

    /// Takes the file descriptors of the body.
    ///
    /// - Parameter found: in the order in which the body refers to them; `nil` where its index is that of none.
    /// - Throws: ``BusError/Code/unexpectedBody``.
    mutating func place(_ found: [FileDescriptor?]) throws(BusError) {
        let indices: [Int] = try read { (reader) throws(BusError) in
            var indices: [Int] = []
            while reader.nextType != 0 { try reader.readDescriptorIndices(into: &indices) }
            return indices
        }
        for case (let index, let descriptor?) in zip(indices, found) {
            while descriptors.count <= index { descriptors.append(nil) }
            descriptors[index] = descriptor
        }
    }

    /// The body and its signature in one buffer, as a received message has them.
    private var marshalledBody:
        (wire: WireBytes, body: Range<Int>, types: Range<Int>, isSwapped: Bool)
    {
        switch payload {
        case .received(let wire, let start, let isSwapped):
            return (wire, start..<wire.buffer.count, types, isSwapped)
        case .written(let bytes):
            let wire = WireBytes(copying: bytes + signature.rawValue.utf8)
            return (wire, 0..<bytes.count, bytes.count..<wire.buffer.count, false)
        }
    }

    /// The body in this machine's byte order, or as it was received.
    func withBody<Output>(
        _ use: (UnsafeRawBufferPointer) throws(BusError) -> Output
    ) throws(BusError) -> Output {
        switch payload {
        case .received(let wire, let start, _):
            defer { withExtendedLifetime(wire) {} }
            return try use(UnsafeRawBufferPointer(rebasing: wire.buffer[start...]))
        case .written(let bytes):
            return try bytes.withUnsafeBufferPointer { (bytes) throws(BusError) in
                try use(UnsafeRawBufferPointer(bytes))
            }
        }
    }
}
