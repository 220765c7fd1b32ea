/// What both kinds of radio have: a name in logs, and what they can do.
public protocol NamedRadio: Sendable {
    /// What the radio is called in logs, such as `hci0`; empty unless the radio says otherwise.
    var name: String { get }

    /// What the radio can do now; it may change when the radio's state does.
    var capabilities: RadioCapabilities { get async }
}

extension NamedRadio {
    /// Empty.
    public var name: String { "" }

    /// What every radio can do.
    public var capabilities: RadioCapabilities { get async { RadioCapabilities() } }
}

/// A radio in both roles at once.
public typealias Radio = CentralRadio & PeripheralRadio
