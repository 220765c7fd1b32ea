/// Which signals are wanted.
///
/// Source: D-Bus specification, "Match Rules".
package struct MatchRule: Hashable, Sendable {
    /// The sender, by unique or well-known name.
    package var sender: String?
    package var interface: String?
    package var member: String?
    package var path: ObjectPath?
    /// The object or one below it.
    package var pathNamespace: ObjectPath?
    /// The first value of the body, a string.
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

    /// The rule as the bus wants it.
    package var text: String {
        var parts = ["type='signal'"]
        func add(_ key: String, _ value: String?) {
            guard let value else { return }
            // An apostrophe ends the quotation, is escaped outside of it, and begins another; also one
            // that is a character together with marks behind it.
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

    /// Whether a signal is one of those.
    ///
    /// Needed beside the bus's own matching: all signals arrive at one place, and those that are
    /// sent to this connection alone pass no rule of the bus.
    ///
    /// - Parameters:
    ///   - signal: what was received.
    ///   - owner: the unique name of ``sender``'s owner, where that is a well-known name.
    /// - Returns: whether each criterion that is set holds.
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
