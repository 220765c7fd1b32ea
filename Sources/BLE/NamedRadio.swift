/// A radio that has a name in logs; both kinds of radio are.
public protocol NamedRadio: Sendable {
    /// What the radio is called in logs, such as `hci0`; empty unless the radio says otherwise.
    var name: String { get }
}

extension NamedRadio {
    /// Empty.
    public var name: String { "" }
}
