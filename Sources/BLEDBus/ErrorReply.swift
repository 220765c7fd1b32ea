/// An error that a peer replied with.
package struct ErrorReply: Error, Hashable, Sendable {
    /// The error's name.
    package let name: ErrorName

    /// The message for people; may be empty.
    package let text: String

    package init(_ name: ErrorName, _ text: String = "") {
        self.name = name
        self.text = text
    }
}

extension ErrorReply {
    /// The error of an error message, whose text is the first string of its body.
    init(_ message: Message) {
        let text = message.signature.rawValue.hasPrefix("s") ? try? message.body().first : nil
        self.init(ErrorName(rawValue: message.errorName ?? ""), text?.string ?? "")
    }
}

extension ErrorReply: CustomStringConvertible {
    package var description: String { "\(name.rawValue) \"\(text)\"" }
}
