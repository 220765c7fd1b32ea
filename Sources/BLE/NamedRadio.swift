/// What both kinds of radio have: a name in logs, an executor, and what they can do.
public protocol NamedRadio: Sendable {
    /// What the radio is called in logs, such as `hci0`; empty unless the radio says otherwise.
    var name: String { get }

    /// Where the radio's events arrive: the same for the radio's life.
    ///
    /// A radio that has no thread of its own makes a ``RadioQueue``.
    var executor: any RadioExecutor { get }

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
