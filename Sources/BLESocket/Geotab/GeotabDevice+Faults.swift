extension GeotabDevice {
    /// What a device does wrong, for who tests an add-on against it.
    public enum Fault: String, Hashable, Sendable, CaseIterable {
        /// Every third frame has a wrong sum.
        case wrongChecksums
        /// Before each frame there are bytes that are none.
        case garbage
        /// Each byte is sent alone.
        case singleBytes
        /// Frames are sent two at a time: a frame waits for the next one.
        case pairedFrames
        /// Every third frame ends in the middle.
        case halfFrames
        /// Before every third frame, one that claims to have 65,535 bytes, and has eight.
        case overlongFrames
        /// Between frames there are good ones of kinds that nobody knows.
        case unknownKinds
        /// After every third frame it asks once more who is there.
        case repeatedRequests
        /// It never asks who is there.
        case noRequest
        /// It does not say that it knows the add-on.
        case noAcknowledgement
        /// It does not say what came of a message.
        case noResults
        /// It could use no message.
        case refusedMessages
        /// It sends each result twice.
        case repeatedResults
    }

    /// What is sent in place of a frame.
    ///
    /// - Parameters:
    ///   - bytes: the frame.
    ///   - fault: what is done wrong.
    /// - Returns: what is sent, in order.
    mutating func sent(_ bytes: [UInt8], with fault: Fault) -> [[UInt8]] {
        sentCount += 1
        let isThird = sentCount.isMultiple(of: 3)
        let kind = bytes.count > 1 ? GeotabFrame.Kind(rawValue: bytes[1]) : nil
        switch fault {
        case .wrongChecksums: return [isThird ? Self.withWrongChecksum(bytes) : bytes]
        case .garbage: return [[0x00, 0xFF, 0x55, 0x02, 0x99] + bytes]
        case .singleBytes: return bytes.map { [$0] }
        case .pairedFrames:
            // Those that the other end waits for can't.
            guard kind == .vehicleData, held.isEmpty else {
                defer { held = [] }
                return [held + bytes]
            }
            held = bytes
            return []
        case .halfFrames: return [isThird ? Array(bytes.prefix(bytes.count / 2)) : bytes]
        case .overlongFrames: return isThird ? [Self.overlongFrame, bytes] : [bytes]
        case .unknownKinds:
            return [
                GeotabFrame(GeotabFrame.Kind(rawValue: 0x7E), checked: [1, 2, 3]).bytes, bytes,
            ]
        case .repeatedRequests:
            let request = GeotabFrame(.handshakeRequest, checked: []).bytes
            return isThird && kind != .handshakeRequest ? [bytes, request] : [bytes]
        case .noRequest: return kind == .handshakeRequest ? [] : [bytes]
        case .noAcknowledgement: return kind == .acknowledgement ? [] : [bytes]
        case .noResults: return kind == .result ? [] : [bytes]
        case .refusedMessages: return [kind == .result ? Self.result(of: false).bytes : bytes]
        case .repeatedResults: return kind == .result ? [bytes, bytes] : [bytes]
        }
    }

    private static func withWrongChecksum(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        if bytes.count > 2 { bytes[bytes.count - 2] ^= 0xFF }
        return bytes
    }

    private static let overlongFrame: [UInt8] =
        [GeotabFrame.start, GeotabFrame.Kind.extendedData.rawValue, 0xFF, 0xFF]
        + [UInt8](repeating: 0x41, count: 8)
}
