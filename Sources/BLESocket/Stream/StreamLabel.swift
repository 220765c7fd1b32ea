/// Which session a frame belongs to, where several share the characteristic of a peripheral: all their centrals are notified of
/// all frames, and programs of one machine are one central.
///
/// The lowest two bytes of the session come after the frame's first byte, whose highest bit is set. A hello has the whole session,
/// and none of this.
///
/// Source: Docs/Wire.md.
struct StreamLabel: Hashable, Sendable {
    /// How many bytes a frame is longer.
    static let byteCount = 2
    private static let mark: UInt8 = 0x80

    private let number: UInt16

    init(session: UInt64) {
        number = UInt16(truncatingIfNeeded: session)
    }

    /// Reads the label of a frame.
    ///
    /// - Returns: the label, and the frame without it; `nil` for a frame that has none.
    static func remove(from frame: [UInt8]) -> (StreamLabel, [UInt8])? {
        guard let first = frame.first, first & mark != 0, frame.count > byteCount else {
            return nil
        }
        let session = UInt64(frame[1]) | UInt64(frame[2]) << 8
        return (StreamLabel(session: session), [first & ~mark] + frame.dropFirst(1 + byteCount))
    }

    /// A frame with this label.
    func added(to frame: [UInt8]) -> [UInt8] {
        guard let first = frame.first else { return frame }
        return [first | Self.mark] + number.littleEndianBytes + frame.dropFirst()
    }
}
