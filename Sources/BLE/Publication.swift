/// A service that is being served and advertised.
public protocol Publication: Sendable {
    /// Tells a new value to every central that has subscribed.
    ///
    /// Values are sent in the order of the calls. One that is told while nobody has subscribed goes
    /// nowhere. Longer values than a central's packet carries arrive cut.
    ///
    /// - Parameters:
    ///   - characteristic: a characteristic of the published service.
    ///   - value: 0 to 512 bytes.
    /// - Throws: ``RadioError`` with ``RadioError/Code/withdrawn`` after the publication ended.
    func update(_ characteristic: BluetoothUUID, to value: [UInt8]) async throws

    /// Ends advertising and serving; returns when the system has confirmed, or is gone.
    ///
    /// Doing so again does nothing.
    func withdraw() async
}
