/// What came of an indication.
///
/// Source: Core specification, Vol 3, Part F, 3.4.7.2 and 3.4.7.3.
public enum Confirmation: Hashable, Sendable {
    /// The central has confirmed the value.
    case confirmed
    /// Nobody is known to have confirmed the value: no central had subscribed, the connection ended, the
    /// central did not reply within 30 s, or the system does not tell which of these it was.
    case unconfirmed
}
