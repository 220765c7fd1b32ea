public import BlueChat

/// Which friend: by key, or, for somebody who has none, by a name or an address.
public enum FriendID: Hashable, Sendable {
    /// Somebody with a key.
    case key(ChatKey)
    /// Somebody whose app has no keys, by a name or an address that says who it is.
    case address(String)
}

extension FriendID: CustomStringConvertible {
    /// The bytes of the key in hexadecimal digits, or the address.
    public var description: String {
        switch self {
        case .key(let key): key.bytes.hexadecimal
        case .address(let address): address
        }
    }
}
