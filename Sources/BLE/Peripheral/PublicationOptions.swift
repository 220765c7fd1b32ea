/// What a publication does differently.
public struct PublicationOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates a set from bits.
    ///
    /// - Parameter rawValue: the options as bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Each central that subscribes gets a connection of its own to the characteristic, over which
    /// ``Publication/notify(_:to:of:)`` reaches it alone.
    ///
    /// Only where the radio has ``RadioCapabilities/Features/individualNotifications``; publishing fails with
    /// ``RadioError/Code/unsupported`` elsewhere. BlueZ: the application serves `AcquireNotify`. Off unless
    /// asked for, since bluetoothd closes those of all centrals when the link of one ends (bluez/bluez#1452):
    /// ``PublicationEvent/individualNotificationsEnded(_:_:)`` tells it of the others, notifying one of them alone fails with
    /// ``RadioError/Code/peerGone`` until it subscribes anew, while ``Publication/update(_:to:)`` reaches them as ever.
    public static let individualNotifications = PublicationOptions(rawValue: 1 << 0)

    /// Characteristics may have both ``CharacteristicProperties/write`` and
    /// ``CharacteristicProperties/writeWithoutResponse``, as the Nordic UART service has it.
    ///
    /// Without this option publishing such a characteristic fails with ``RadioError/Code/unsupported``, for
    /// on BlueZ it costs the refusals: bluetoothd accepts every write to such a characteristic before
    /// the responder is asked, so an ``ATTError`` that it throws reaches nobody.
    public static let lostRefusals = PublicationOptions(rawValue: 1 << 1)
}
