/// Selects signals.
///
/// Source: D-Bus specification, "Match Rules".
package struct MatchRule: Hashable, Sendable {
    /// The sender, by unique or well-known name.
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: ObjectPath?
    /// The object, or an object below it.
    package var pathNamespace: ObjectPath?
    /// The first argument, a string.
    package var firstArgument: String?

    package init(
        sender: String? = nil,
        interface: String? = nil,
        member: String? = nil,
        path: ObjectPath? = nil,
        pathNamespace: ObjectPath? = nil,
        firstArgument: String? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.pathNamespace = pathNamespace
        self.firstArgument = firstArgument
    }

    /// The rule in the syntax of `AddMatch`.
    package var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            guard let value else { return }
            // An apostrophe ends the quotation, is escaped outside of it, and begins another. By scalars,
            // as an apostrophe with a combining mark behind it is another character.
            let texts = value.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
            let quoted = texts.map(String.init).joined(separator: #"'\''"#)
            parts.append("\(key)='\(quoted)'")
        }
        add("sender", sender)
        add("interface", interface)
        add("member", member)
        add("path", path?.rawValue)
        add("path_namespace", pathNamespace?.rawValue)
        add("arg0", firstArgument)
        return parts.joined(separator: ",")
    }

    /// Returns whether a signal matches.
    ///
    /// The bus matches too, but for all rules of the connection together, and not for signals that are
    /// addressed to it.
    ///
    /// - Parameters:
    ///   - signal: the signal.
    ///   - owner: the unique name of ``sender``'s owner, where that is a well-known name.
    /// - Returns: whether the signal meets each criterion that is set.
    func matches(_ signal: Message, owner: String?) -> Bool {
        if sender != nil, signal.sender != owner { return false }
        if let interface, signal.interface != interface { return false }
        if let member, signal.member != member { return false }
        if let path, signal.path != path { return false }
        if let pathNamespace {
            guard let path = signal.path, path.isWithin(pathNamespace) else { return false }
        }
        if let firstArgument {
            let matches = try? signal.read { (reader) throws(BusError) in
                try reader.readWireString().equals(firstArgument)
            }
            return matches ?? false
        }
        return true
    }
}
