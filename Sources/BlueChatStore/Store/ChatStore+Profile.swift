internal import BLESQLite

extension ChatStore {
    /// Who the user is; `nil` until it was set.
    ///
    /// - Returns: the profile.
    public func profile() throws -> OwnProfile? {
        try read("read the profile in the chat store") { database in
            try database.row("SELECT name, identity FROM profile") {
                OwnProfile(name: $0.text(at: 0), identity: $0.bytes(at: 1))
            }
        }
    }

    /// Sets who the user is.
    ///
    /// - Parameter profile: the name, up to 255 bytes, and the private key, 32 bytes.
    /// - Throws: ``ChatStoreError/Code/tooLong``, ``ChatStoreError/Code/invalid``.
    public func setProfile(_ profile: OwnProfile) throws {
        try check("The name", profile.name.utf8.count, atMost: StoreLimits.nameByteCount)
        guard profile.identity.count == OwnProfile.identityByteCount else {
            throw ChatStoreError(
                .invalid,
                "A private key has \(OwnProfile.identityByteCount) bytes, not "
                    + "\(profile.identity.count): the chat store (\(path)) was not changed"
            )
        }
        try write("save the profile in the chat store") { database in
            try database.run(
                "INSERT OR REPLACE INTO profile (number, name, identity) VALUES (1, ?, ?)",
                [.text(profile.name), .bytes(profile.identity)]
            )
        }
        streams.send(.profile)
    }
}
