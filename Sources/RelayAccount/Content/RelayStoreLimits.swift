/// How much a store keeps.
public struct RelayStoreLimits: Hashable, Sendable {
    /// How many messages are kept; the oldest go first, up to a thousand later.
    public var messageCount = 100_000
    /// How long messages are kept, and until the store is opened again, or for 15 minutes while an account runs; `nil` for as long
    /// as there is room.
    public var messageAge: Duration?
    /// How large the file may become.
    public var byteCount = 268_435_456

    /// Creates limits that are as written here.
    public init() {}
}
