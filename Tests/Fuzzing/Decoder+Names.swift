import CBLEDBus

@testable import BLEDBus

/// A text as each kind of name that a message carries: it has to be one for libdbus, too, or not.
@Sendable func decodeNames(_ input: UnsafeRawBufferPointer) {
    // What libdbus is told ends with a zero.
    guard let text = String(validating: input.prefix { $0 != 0 }, as: UTF8.self) else { return }
    check(text, "an interface", Names.isInterface, dbus_validate_interface)
    check(text, "an error", Names.isError, dbus_validate_error_name)
    // libdbus is content with a unique name of one element.
    if Names.isBus(text) { precondition(dbus_validate_bus_name(text, nil) != 0, "'\(text)'") }
    check(text, "a member", Names.isMember, dbus_validate_member)
    check(text, "a path", { (try? ObjectPath($0)) != nil }, dbus_validate_path)
    checkSignature(text)
    if let signature = try? Signature(text), !text.isEmpty {
        let isSingle = dbus_signature_validate_single(text, nil) != 0
        precondition(signature.isSingle == isSingle, "'\(text)' is one type, or not")
    }
    checkRule(text)
}

private func check(
    _ text: String,
    _ what: String,
    _ isValid: (String) -> Bool,
    _ validate: (UnsafePointer<CChar>?, UnsafeMutablePointer<DBusError>?) -> dbus_bool_t
) {
    precondition(
        isValid(text) == (validate(text, nil) != 0),
        "'\(text)' is \(what) for one of us alone"
    )
}

/// libdbus counts only arrays that follow each other directly against the 32 that the specification allows
/// in each other.
private func checkSignature(_ text: String) {
    let isValid = (try? Signature(text)) != nil
    let isValidThere = dbus_signature_validate(text, nil) != 0
    let hasManyArrays = text.utf8.count { $0 == UInt8(ascii: "a") } > 32
    precondition(
        isValid == isValidThere || (hasManyArrays && isValidThere),
        "'\(text)' is a signature for one of us alone"
    )
}

/// A rule for a text matches a signal with that text, and its quotations end.
private func checkRule(_ text: String) {
    let rule = MatchRule(sender: ":1.1", path: "/a", firstArgument: text)
    guard var signal = try? Message.signal(from: "/a", "a.b", "C", [.string(text)]) else { return }
    signal.sender = ":1.1"
    precondition(rule.matches(signal, owner: ":1.1"))
    var isQuoted = false
    var isEscaped = false
    for byte in rule.text.utf8 {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "'") {
            isQuoted.toggle()
        } else if byte == UInt8(ascii: "\\"), !isQuoted {
            isEscaped = true
        }
    }
    precondition(!isQuoted && !isEscaped, "\(rule.text) does not end")
}
