/// A peer said no.
package struct ErrorReply: Error, Hashable, Sendable {
    /// The error's name.
    package let name: ErrorName

    /// What the peer says of it; may be empty.
    package let text: String

    package init(_ name: ErrorName, _ text: String = "") {
        self.name = name
        self.text = text
    }
}

extension ErrorReply {
    /// The error that a message carries; its text is the first string of the body, if it has one.
    init(_ message: Message) {
        let text = message.signature.rawValue.hasPrefix("s") ? try? message.body().first : nil
        self.init(ErrorName(rawValue: message.errorName ?? ""), text?.string ?? "")
    }
}

extension ErrorReply: CustomStringConvertible {
    package var description: String { "\(name.rawValue) \"\(text)\"" }
}
