internal import BLESQLite
internal import BLEStorage
internal import BlueChat

extension ChatStore {
    /// Everything but the private key, as lines of JSON that are read while they are written elsewhere.
    ///
    /// ```swift
    /// for try await line in store.export() { print(line) }
    /// ```
    ///
    /// - Parameter withFiles: whether files are in it, or only their names and sizes.
    /// - Returns: the lines.
    public nonisolated func export(withFiles: Bool = true) -> ExportLines {
        ExportLines(store: self, withFiles: withFiles)
    }

    /// The lines of the profile and the friends.
    func linesOfPeople() throws -> [String] {
        let profile = try profile().map { profile in
            var object = JSONObject()
            object.add("type", "profile")
            object.add("name", profile.name)
            return object.line
        }
        return try [profile].compactMap { $0 } + friends().map(Self.line)
    }

    /// The lines of some messages, and the number of the last one; `nil` when there are none.
    func linesOfMessages(
        after number: Int64,
        withFiles: Bool
    ) throws -> (lines: [String], last: Int64?) {
        try read("export the chat store") { database in
            let statement = try database.prepare(
                "\(StoredMessage.selection) WHERE m.number > ? ORDER BY m.number LIMIT 200",
                [.integer(number)]
            )
            var lines: [String] = []
            var last: Int64?
            var byteCount = 0
            // A batch is as large as one file, and one text, at most.
            while byteCount < StoreLimits.fileByteCount, try statement.step() {
                let message = try StoredMessage(statement)
                var content: [UInt8]?
                if withFiles, message.file != nil {
                    content = try database.row(
                        "SELECT content FROM file WHERE message = ?",
                        [.integer(message.number)]
                    ) { $0.bytes(at: 0) }
                }
                lines.append(Self.line(message, content))
                byteCount += lines.last?.utf8.count ?? 0
                last = message.number
            }
            return (lines, last)
        }
    }

    private static func line(_ friend: Friend) -> String {
        var object = JSONObject()
        object.add("type", "friend")
        object.add("friend", friend.id.description)
        object.add("kind", friend.id.column)
        object.add("toldName", friend.toldName)
        object.add("givenName", friend.givenName)
        object.add("state", "\(friend.state)")
        object.add("isVerified", friend.isVerified)
        object.add("added", friend.added.millisecondsSince1970)
        object.add("predecessor", friend.predecessor?.description)
        return object.line
    }

    private static func line(_ message: StoredMessage, _ content: [UInt8]?) -> String {
        var object = JSONObject()
        object.add("type", "message")
        object.add("id", message.id.description)
        object.add("friend", message.friend.description)
        object.add("direction", "\(message.direction)")
        object.add("text", message.text)
        object.add("sent", message.sent.millisecondsSince1970)
        object.add("received", message.received?.millisecondsSince1970)
        object.add("state", message.state?.name)
        object.add("reason", message.state?.reason)
        object.add("isUnread", message.isUnread)
        object.add("edited", message.edited?.millisecondsSince1970)
        object.add("deleted", message.deleted?.millisecondsSince1970)
        object.add("fileName", message.file?.name)
        object.add("fileSize", message.file.map { Int64($0.byteCount) })
        object.add("file", content?.base64)
        return object.line
    }
}
