/// How a connection is made.
public struct ConnectionOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: the options as bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Connects at once, also while the radio advertises.
    ///
    /// Without it a radio that advertises, and so may be called by the peer in the same instant, may wait for a random time of
    /// less than a second first, and uses the connection if the peer has made one meanwhile. BlueZ: two that call each other at
    /// once leave bluetoothd 5.66 with a call that hangs for 40 s, and 5.82 and 5.87 now and then with an adapter that has to be
    /// switched off and on. For programs that know that the peer does not call.
    public static let immediately = ConnectionOptions(rawValue: 1 << 0)
}
