@testable import NoiseProtocol

/// Both ends of a handshake.
struct Pair {
    var initiator: Handshake
    var responder: Handshake
    private var lastWriter = Handshake.Role.responder

    init(initiator: Handshake, responder: Handshake) {
        self.initiator = initiator
        self.responder = responder
    }

    /// Makes two ends that have exchanged so many messages.
    init(after count: Int = 0) throws {
        initiator = Handshake(as: .initiator, with: IdentityKey())
        responder = Handshake(as: .responder, with: IdentityKey())
        try exchange(payloads: Array(repeating: [], count: count))
    }

    mutating func exchange(payloads: [[UInt8]]) throws {
        for payload in payloads { _ = try read(try write(payload)) }
    }

    /// Lets the end write whose turn it is.
    mutating func write(_ payload: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        lastWriter = initiator.isTurnToWrite ? .initiator : .responder
        return switch lastWriter {
        case .initiator: try initiator.write(payload)
        case .responder: try responder.write(payload)
        }
    }

    /// Lets the other end read than the one that wrote last.
    mutating func read(_ message: [UInt8]) throws(NoiseError) -> [UInt8] {
        switch lastWriter {
        case .initiator: try responder.read(message)
        case .responder: try initiator.read(message)
        }
    }

    /// The end that reads what was written last.
    var reader: Handshake { lastWriter == .initiator ? responder : initiator }
}

/// Why something was refused; `nil` if it was not.
func refusal<Result>(_ body: () throws -> Result) -> NoiseError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? NoiseError)?.code
    }
}
