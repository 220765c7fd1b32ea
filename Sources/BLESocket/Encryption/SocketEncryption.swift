/// How a stream is encrypted, and who the other end has to be.
///
/// As it is created, nobody who listens learns what is sent, or changes it; who takes the other end's place from the
/// beginning does. Against those, name the other end's key (``peers``), or have a ``passphrase`` in common.
///
/// ```swift
/// var configuration = SocketConfiguration.nordicUART
/// configuration.transports = [.stream]
/// configuration.encryption = SocketEncryption(identity: identity, peers: [friend])
/// ```
///
/// Source: The Noise Protocol Framework, revision 34: `Noise_XX_25519_ChaChaPoly_SHA256`, with a passphrase
/// `Noise_XXpsk3_25519_ChaChaPoly_SHA256`; Docs/Wire.md.
public struct SocketEncryption: Hashable, Sendable {
    /// This end's key, by which the other one knows it; `nil` for one that is made for each stream.
    public var identity: SocketIdentity?
    /// The keys of which the other end has to have one; empty for anybody.
    public var peers: Set<SocketPublicKey>
    /// What both ends have to know; `nil` for nothing.
    public var passphrase: SocketPassphrase?

    /// Creates an encryption.
    ///
    /// - Parameters:
    ///   - identity: this end's key; `nil` for one that is made for each stream.
    ///   - peers: the keys of which the other end has to have one; empty for anybody.
    ///   - passphrase: what both ends have to know; `nil` for nothing.
    public init(
        identity: SocketIdentity? = nil,
        peers: Set<SocketPublicKey> = [],
        passphrase: SocketPassphrase? = nil
    ) {
        self.identity = identity
        self.peers = peers
        self.passphrase = passphrase
    }

    /// Whether not everybody may be the other end.
    var isSelective: Bool { !peers.isEmpty || passphrase != nil }
}
