/// What two ends of a stream send each other; each in one notification or one write.
///
/// All but data and pieces fit into 18 bytes, which is what bluetoothd leaves of the shortest MTU.
///
/// Numbers are little-endian. An offset is that of a byte in the stream, modulo 2³².
///
/// | first byte | then |
/// |---|---|
/// | 01 | version 1 and flags (4 bits each), session (8), received offset (4), limit (4) |
/// | 02 | offset (4), data |
/// | 03 | received offset (4), limit (4), then up to 60 ranges that came beyond: offset (4), length (4) |
/// | 04 | as 03; asks for an 03 |
/// | 05 | offset (4): the stream ends there |
/// | 06 | ``StreamReset`` (1): the session is over |
/// | 82 … 86 | the lowest bytes of the session (2), then as 02 … 06: ``StreamLabel`` |
///
/// Source: Docs/Wire.md.
enum StreamFrame: Hashable, Sendable {
    /// What each end sends first over a link.
    struct Hello: Hashable, Sendable {
        /// The session that is begun, or goes on.
        var session: UInt64
        /// The first byte that has not come.
        var received: UInt32
        /// Up to where the other end may send.
        var limit: UInt32
        /// Whether this end has had the other's hello in this session; flag 1.
        var isKnown: Bool
        /// Whether this end encrypts; flag 2.
        var isEncrypted = false
        /// Whether several sessions share the characteristic of a peripheral, so that frames are labelled; flag 4.
        var isShared = false
    }

    /// Bytes that came beyond the first that has not.
    struct Piece: Hashable, Sendable {
        var offset: UInt32
        var byteCount: UInt32
    }

    /// What has come.
    struct Acknowledgement: Hashable, Sendable {
        /// The first byte that has not come.
        var received: UInt32
        /// Up to where the other end may send.
        var limit: UInt32
        /// What came beyond, in ascending order.
        var pieces: [Piece] = []
        /// Whether the other end is to say the same of its side.
        var wantsReply = false
    }

    case hello(Hello)
    case data(offset: UInt32, [UInt8])
    case acknowledgement(Acknowledgement)
    case end(offset: UInt32)
    case reset(StreamReset)

    private static let version: UInt8 = 1
    /// How many bytes a frame has beside its data.
    static let dataHeaderByteCount = 5
    private static let maximumPieceCount = 60

    /// How many pieces an acknowledgement of so many bytes can tell of.
    static func pieceCount(in byteCount: Int) -> Int {
        min(max(byteCount - 9, 0) / 8, maximumPieceCount)
    }

    /// Reads a frame.
    ///
    /// - Returns: `nil` for what is none.
    init?(_ bytes: [UInt8]) {
        var reader = NumberReader(bytes.dropFirst())
        switch bytes.first {
        case 0x01:
            guard let flags = reader.next(UInt8.self), flags >> 4 == Self.version,
                let session = reader.next(UInt64.self), let received = reader.next(UInt32.self),
                let limit = reader.next(UInt32.self)
            else { return nil }
            self = .hello(
                Hello(
                    session: session,
                    received: received,
                    limit: limit,
                    isKnown: flags & 1 != 0,
                    isEncrypted: flags & 2 != 0,
                    isShared: flags & 4 != 0
                )
            )
        case 0x02:
            guard let offset = reader.next(UInt32.self), !reader.rest.isEmpty else { return nil }
            self = .data(offset: offset, Array(reader.rest))
        case 0x03, 0x04:
            guard let received = reader.next(UInt32.self), let limit = reader.next(UInt32.self),
                reader.rest.count % 8 == 0, reader.rest.count / 8 <= Self.maximumPieceCount
            else { return nil }
            var acknowledgement = Acknowledgement(received: received, limit: limit)
            acknowledgement.wantsReply = bytes.first == 0x04
            while let offset = reader.next(UInt32.self), let count = reader.next(UInt32.self) {
                acknowledgement.pieces.append(Piece(offset: offset, byteCount: count))
            }
            self = .acknowledgement(acknowledgement)
        case 0x05:
            guard let offset = reader.next(UInt32.self), reader.rest.isEmpty else { return nil }
            self = .end(offset: offset)
        case 0x06:
            guard let code = reader.next(UInt8.self), reader.rest.isEmpty else { return nil }
            self = .reset(StreamReset(rawValue: code))
        default:
            return nil
        }
    }

    /// The frame as it travels.
    var bytes: [UInt8] {
        switch self {
        case .hello(let hello):
            let flags: UInt8 =
                (hello.isKnown ? 1 : 0) | (hello.isEncrypted ? 2 : 0) | (hello.isShared ? 4 : 0)
            return [0x01, Self.version << 4 | flags]
                + hello.session.littleEndianBytes + hello.received.littleEndianBytes
                + hello.limit.littleEndianBytes
        case .data(let offset, let data):
            var bytes: [UInt8] = [0x02]
            bytes.reserveCapacity(Self.dataHeaderByteCount + data.count)
            bytes += offset.littleEndianBytes
            bytes += data
            return bytes
        case .acknowledgement(let acknowledgement):
            let pieces = acknowledgement.pieces.flatMap {
                $0.offset.littleEndianBytes + $0.byteCount.littleEndianBytes
            }
            return [acknowledgement.wantsReply ? 0x04 : 0x03]
                + acknowledgement.received.littleEndianBytes
                + acknowledgement.limit.littleEndianBytes + pieces
        case .end(let offset):
            return [0x05] + offset.littleEndianBytes
        case .reset(let reason):
            return [0x06, reason.rawValue]
        }
    }
}

/// Why an end of a stream ended the session; other numbers are violations, too.
struct StreamReset: RawRepresentable, Hashable, Sendable {
    /// It was closed before all had been sent and received.
    static let closed = StreamReset(rawValue: 0)
    /// It does not know the session that was to go on.
    static let unknownSession = StreamReset(rawValue: 1)
    /// The other end sent what the protocol does not allow.
    static let violation = StreamReset(rawValue: 2)
    /// Both ends have all.
    static let done = StreamReset(rawValue: 3)
    /// The two ends do not have the same key, or only one of them has any.
    static let encryption = StreamReset(rawValue: 4)

    /// A listener has as many sessions as it takes.
    static let full = StreamReset(rawValue: 5)

    let rawValue: UInt8

    /// Whether it is a peripheral's reply to a hello.
    var isRefusal: Bool { self == .full || self == .unknownSession }
}
