/// Which messages a handshake has, and what their tokens are.
///
/// Source: The Noise Protocol Framework, revision 34, 7.4, 7.5 and 9.
struct HandshakePattern: Sendable {
    /// A part of a message: a public key, or keys that a secret is agreed on with.
    enum Token {
        /// An ephemeral public key.
        case e
        /// A static public key, encrypted.
        case s
        /// X25519 with both ephemeral keys.
        case ee
        /// X25519 with the initiator's ephemeral key and the responder's static key.
        case es
        /// X25519 with the initiator's static key and the responder's ephemeral key.
        case se
        /// X25519 with both static keys.
        case ss
        /// What both ends know beside their keys.
        case psk
    }

    static let encryptedKeyByteCount = PublicKey.byteCount + CipherState.tagByteCount

    let protocolName: String
    /// The tokens of each message, the initiator's first.
    let messages: [[Token]]
    /// Whether the initiator has the responder's static key from elsewhere.
    let knowsResponder: Bool

    private init(_ name: String, knowsResponder: Bool, _ messages: [[Token]]) {
        protocolName = "Noise_\(name)_25519_ChaChaPoly_SHA256"
        self.knowsResponder = knowsResponder
        self.messages = messages
    }

    static let xx = HandshakePattern(
        "XX",
        knowsResponder: false,
        [[.e], [.e, .ee, .s, .es], [.s, .se]]
    )
    static let xxpsk3 = HandshakePattern(
        "XXpsk3",
        knowsResponder: false,
        [[.e], [.e, .ee, .s, .es], [.s, .se, .psk]]
    )
    static let ik = HandshakePattern(
        "IK",
        knowsResponder: true,
        [[.e, .es, .s, .ss], [.e, .ee, .se]]
    )
    static let n = HandshakePattern("N", knowsResponder: true, [[.e, .es]])

    /// Whether the responder sends nothing, neither in the handshake nor afterwards.
    var isOneWay: Bool { messages.count == 1 }

    /// Whether an ephemeral key is mixed into the cipher's as well, as is done where a key is known beforehand.
    var hasPresharedKey: Bool { messages.contains { $0.contains(.psk) } }

    /// How many bytes a message has beside its payload.
    func overhead(of index: Int) -> Int {
        var (hasKey, count) = (false, 0)
        for (number, tokens) in messages.enumerated() {
            count = 0
            for token in tokens {
                switch token {
                case .e:
                    count += PublicKey.byteCount
                    hasKey = hasKey || hasPresharedKey
                case .s: count += PublicKey.byteCount + (hasKey ? CipherState.tagByteCount : 0)
                case .ee, .es, .se, .ss, .psk: hasKey = true
                }
            }
            if hasKey { count += CipherState.tagByteCount }
            if number == index { break }
        }
        return count
    }
}
