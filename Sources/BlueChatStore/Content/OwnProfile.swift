/// Who the user is.
public struct OwnProfile: Hashable, Sendable {
    /// How many bytes an identity has.
    public static var identityByteCount: Int { 32 }

    /// The name that others are told.
    public let name: String
    /// The private key, 32 bytes, which mean nothing to the store.
    ///
    /// It is in no export, and in no description.
    public let identity: [UInt8]

    /// Creates a profile.
    ///
    /// - Parameters:
    ///   - name: the name that others are told.
    ///   - identity: the private key, 32 bytes.
    public init(name: String, identity: [UInt8]) {
        self.name = name
        self.identity = identity
    }
}

extension OwnProfile: CustomStringConvertible {
    /// The name, without the key.
    public var description: String { name }
}

extension OwnProfile: CustomReflectable {
    /// The name, without the key.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
