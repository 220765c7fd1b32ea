/// How a value is written.
///
/// Source: Core specification, Vol 3, Part G, 4.9.
public enum WriteKind: Hashable, Sendable {
    /// A write request: the server accepts or refuses it.
    case withResponse
    /// A write command: the server does not reply.
    case withoutResponse
}
