internal import NoiseProtocol

/// What an encrypted stream carries in place of bytes: the messages of a handshake, and then records.
///
/// | bytes | |
/// |---|---|
/// | length (2, little-endian), message | of the handshake: the first and third are the central's, the second the peripheral's |
/// | length (2, little-endian), ciphertext and tag of ChaCha20-Poly1305 | a record; the length is authenticated with it |
///
/// The first record of a direction is empty: it shows that its sender has the keys. A later empty one is the direction's
/// end. All others begin with a byte that says what they carry: 0 bytes of the stream, 1 a control message. After each
/// 65,536 records the key of a direction is replaced by one that is made of it.
///
/// The stream below keeps the order and loses nothing, so that whatever does not fit was made by a stranger.
///
/// Source: Docs/Wire.md.
struct StreamCipher: Sendable {
    private enum State {
        case shakingHands(Handshake)
        case waitingForProof
        case open
        case ended
    }

    /// What a record carries.
    enum Content: Hashable, Sendable {
        /// Bytes of the stream; none for its end.
        case bytes([UInt8])
        /// A message beside the bytes, in order with them.
        case control([UInt8])
    }

    /// What came of what has come.
    struct Received: Hashable, Sendable {
        /// In order; no two that follow each other are both bytes.
        fileprivate(set) var contents: [Content] = []
        /// What this end has to send now.
        fileprivate(set) var reply: [UInt8] = []

        fileprivate mutating func add(_ bytes: ArraySlice<UInt8>) {
            if case .bytes(let before) = contents.last {
                contents[contents.count - 1] = .bytes(before + bytes)
            } else {
                contents.append(.bytes(Array(bytes)))
            }
        }
    }

    /// The first byte of a record that is not empty.
    private enum Kind: UInt8 {
        case bytes
        case control
    }

    private static let prologue = Array("BLESocket stream 3".utf8)
    private static let lengthByteCount = 2
    static let recordOverhead = lengthByteCount + 1 + Transport.overheadByteCount
    /// So few that a record fits into the window of who does not read at present.
    static let maximumRecordByteCount = 4_096
    /// How many bytes follow a length at most: those of a record; a message of the handshake has fewer.
    private static let maximumMessageByteCount =
        1 + maximumRecordByteCount + Transport.overheadByteCount
    static let rekeyInterval: UInt64 = 65_536

    private let peers: Set<SocketPublicKey>
    private let hasPassphrase: Bool
    private var state: State
    /// Once the handshake is over.
    private var transport: Transport?
    private var sentCount: UInt64 = 0
    private var receivedCount: UInt64 = 0
    private var incoming: [UInt8] = []
    /// What this end sends first: a central's message; nothing of a peripheral.
    private(set) var greeting: [UInt8] = []
    /// The other end's key, once it has shown that it is its own.
    private(set) var peer: SocketPublicKey?

    /// - Parameters:
    ///   - encryption: who this end is, and who the other one has to be.
    ///   - isCentral: which end this is.
    init(_ encryption: SocketEncryption, isCentral: Bool) {
        var handshake = Handshake(
            as: isCentral ? .initiator : .responder,
            with: encryption.identity?.key ?? IdentityKey(),
            presharedKey: encryption.passphrase?.key,
            prologue: Self.prologue
        )
        if isCentral, let message = try? handshake.write() { greeting = Self.framed(message) }
        peers = encryption.peers
        hasPassphrase = encryption.passphrase != nil
        state = .shakingHands(handshake)
    }

    /// How many bytes have come of what is not whole yet.
    var pendingByteCount: Int { incoming.count }

    /// Whether the other end has shown that it has the keys.
    var isOpen: Bool {
        switch state {
        case .shakingHands, .waitingForProof: false
        case .open, .ended: true
        }
    }

    /// Whether the other end has said that it sends no more.
    var hasEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// Encrypts bytes, or a control message.
    ///
    /// - Parameter content: at most ``maximumRecordByteCount``.
    /// - Returns: a record; `nil` before the handshake is over.
    mutating func seal(_ content: Content) -> [UInt8]? {
        let plain: [UInt8]
        switch content {
        case .bytes(let bytes): plain = bytes.isEmpty ? [] : [Kind.bytes.rawValue] + bytes
        case .control(let bytes): plain = [Kind.control.rawValue] + bytes
        }
        let length = Self.length(plain.count + Transport.overheadByteCount)
        guard let message = try? transport?.seal(plain, authenticating: length) else { return nil }
        sentCount += 1
        if sentCount.isMultiple(of: Self.rekeyInterval) { try? transport?.rekeySending() }
        return length + message
    }

    /// Takes what has come.
    ///
    /// - Returns: what is in it, and what this end has to send now.
    /// - Throws: ``SocketError`` with ``SocketError/Code/invalidHandshake`` or ``SocketError/Code/malformedData``.
    mutating func receive(_ bytes: [UInt8]) throws(SocketError) -> Received {
        incoming += bytes
        var result = Received()
        while let message = try takeMessage() {
            switch state {
            case .shakingHands(let handshake):
                result.reply += try shakeHands(handshake, message)
            case .waitingForProof:
                guard try open(message).isEmpty else { throw noAgreement }
                state = .open
            case .open:
                try take(open(message), into: &result)
            case .ended:
                throw SocketError(.malformedData, "the other end went on after its end")
            }
        }
        return result
    }

    private mutating func take(_ plain: [UInt8], into result: inout Received) throws(SocketError) {
        guard let first = plain.first else { return state = .ended }
        let content = plain.dropFirst()
        switch Kind(rawValue: first) {
        case .bytes where !content.isEmpty: result.add(content)
        case .control where 1...Socket.maximumControlByteCount ~= content.count:
            result.contents.append(.control(Array(content)))
        case .bytes, .control, nil:
            throw SocketError(.malformedData, "the other end sent a record that is none")
        }
    }

    private mutating func takeMessage() throws(SocketError) -> [UInt8]? {
        guard incoming.count >= Self.lengthByteCount else { return nil }
        let messageByteCount = Int(incoming[0]) + Int(incoming[1]) << 8
        // One longer than the window would never be whole.
        guard messageByteCount <= Self.maximumMessageByteCount else {
            throw isOpen ? Self.tooLong(messageByteCount) : noAgreement
        }
        let count = Self.lengthByteCount + messageByteCount
        guard incoming.count >= count else { return nil }
        defer { incoming.removeFirst(count) }
        return Array(incoming[Self.lengthByteCount..<count])
    }

    /// Goes on with the handshake, up to this end's proof.
    private mutating func shakeHands(
        _ handshake: Handshake,
        _ message: [UInt8]
    ) throws(SocketError) -> [UInt8] {
        var (handshake, reply): (Handshake, [UInt8]) = (handshake, [])
        do {
            _ = try handshake.read(message)
            // Before this end says who it is.
            if let key = handshake.remoteStaticKey { try check(SocketPublicKey(key)) }
            if handshake.isTurnToWrite { reply = Self.framed(try handshake.write()) }
            state = .shakingHands(handshake)
            guard handshake.isFinished else { return reply }
            transport = try handshake.split()
        } catch let error as SocketError {
            throw error
        } catch let error as NoiseError where error.code == .invalidKey {
            throw SocketError(
                .invalidHandshake,
                "the other end has this end's own key, or none that is one"
            )
        } catch {
            throw noAgreement
        }
        state = .waitingForProof
        return reply + (seal(.bytes([])) ?? [])
    }

    private mutating func check(_ key: SocketPublicKey) throws(SocketError) {
        guard peers.isEmpty || peers.contains(key) else {
            throw SocketError(
                .invalidHandshake,
                "the other end has the key \(key), which is not one that was asked for"
            )
        }
        peer = key
    }

    private mutating func open(_ message: [UInt8]) throws(SocketError) -> [UInt8] {
        let length = Self.length(message.count)
        guard let plain = try? transport?.open(message, authenticating: length) else {
            throw isOpen
                ? SocketError(.malformedData, "what came was changed on its way") : noAgreement
        }
        receivedCount += 1
        if receivedCount.isMultiple(of: Self.rekeyInterval) { try? transport?.rekeyReceiving() }
        return plain
    }

    private static func tooLong(_ byteCount: Int) -> SocketError {
        SocketError(
            .malformedData,
            "the other end sent a record of \(byteCount) bytes: it may have \(maximumMessageByteCount)"
        )
    }

    private var noAgreement: SocketError {
        SocketError(
            .invalidHandshake,
            hasPassphrase
                ? "the other end does not have this end's passphrase"
                : "the other end did not say who it is as it has to; it may have a passphrase"
        )
    }

    private static func framed(_ message: [UInt8]) -> [UInt8] { length(message.count) + message }

    private static func length(_ count: Int) -> [UInt8] { UInt16(count).littleEndianBytes }
}
