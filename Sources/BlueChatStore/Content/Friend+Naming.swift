internal import BlueChat

extension Collection<Friend> {
    /// The friend whom a text is for that is to go to somebody of a name.
    ///
    /// The beginning of a key, of 8 digits or more, goes before names: these are anybody's. So of several, who was asked or
    /// confirmed goes before who asks under the same name, and who is shown under it before who only calls themselves so. Who
    /// is blocked is nobody's friend.
    ///
    /// - Parameter name: a name, a key or its beginning, or an original's address.
    /// - Returns: who; `nil` when there is none.
    /// - Throws: ``ChatStoreError/Code/noSuchFriend`` when several may be meant.
    package func meant(by name: String) throws(ChatStoreError) -> Friend? {
        let friends = filter { $0.state != .blocked }
        var found = friends.filter { $0.id.isKey(beginning: name) }
        if found.isEmpty {
            found = friends.filter {
                $0.name == name || $0.toldName == name || $0.id == .address(name)
            }
        }
        let chosen = found.filter { $0.state != .requestReceived }
        if !chosen.isEmpty { found = chosen }
        let shown = found.filter { $0.name == name }
        if !shown.isEmpty { found = shown }
        guard found.count < 2 else { throw ChatStoreError.ambiguous(name, found) }
        return found.first
    }
}

extension ChatStoreError {
    /// Several friends have a name.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - friends: who they are; not all are told where there are many.
    /// - Returns: the error.
    package static func ambiguous(_ name: String, _ friends: [Friend]) -> ChatStoreError {
        let keys = friends.prefix(4).map { "\($0.id)" }.joined(separator: ", ")
        return ChatStoreError(
            .noSuchFriend,
            "\(friends.count) friends are called '\(name)': name one by the key: "
                + (friends.count > 4 ? "\(keys) …" : keys)
        )
    }
}

extension FriendID {
    /// Whether it is a key, and not an address, which is a name that anybody may have.
    package var isKey: Bool {
        if case .key = self { true } else { false }
    }

    /// In either of the ways in which a key is shown: its own digits, or those of its fingerprint.
    fileprivate func isKey(beginning digits: String) -> Bool {
        guard case .key(let key) = self, digits.utf8.count >= 8 else { return false }
        let digits = digits.lowercased()
        return description.hasPrefix(digits) || "\(key)".hasPrefix(digits)
    }
}
