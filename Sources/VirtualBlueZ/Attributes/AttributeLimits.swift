/// How long what travels may be, between two daemons at an MTU of 517.
enum AttributeLimits {
    static let mtu = 517

    /// The longest write that arrives.
    static let write = 510

    /// The longest write command that is sent at all; between the two it is lost.
    static let command = mtu - 3

    /// The longest value that is read or notified whole; what is longer is cut.
    static let value = 512
}
