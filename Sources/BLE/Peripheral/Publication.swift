/// Services that are published, and advertised if that was asked for.
public protocol Publication: Sendable {
    /// Notifies, or indicates to, all subscribed centrals a new value.
    ///
    /// Values are sent in the order of the calls; this returns once the value is queued, and waits for room before that: of a caller
    /// that awaits each value none is lost, however slow the other side is. In a method of the responder it waits for no room that
    /// only the end of that method makes, see the errors. Without a subscribed central nothing is sent. A value longer than a central's ``GATTRequest/mtuBytes`` − 3 arrives truncated there. A characteristic that has
    /// ``CharacteristicProperties/indicate`` alone is indicated; whether it was confirmed says
    /// ``indicate(_:to:)``.
    ///
    /// - Parameters:
    ///   - characteristic: a characteristic of the published services.
    ///   - value: 0 to 512 bytes.
    /// - Throws: ``RadioError`` with ``RadioError/Code/withdrawn`` after the publication has ended,
    ///   ``RadioError/Code/missingAttribute``, ``RadioError/Code/valueTooLong``, ``RadioError/Code/busy`` when 1024 calls wait for
    ///   room, or when the responder itself has sent more while it handles a write than may wait for its reply, 512 or more;
    ///   `CancellationError`, then it was not sent.
    func update(_ characteristic: AttributeID, to value: [UInt8]) async throws

    /// Indicates a new value to the subscribed centrals, and waits for the confirmation.
    ///
    /// One indication of a characteristic is outstanding at a time; later calls wait their turn, at most
    /// 256 of them. A value of ``update(_:to:)`` may overtake one that waits. Don't await this in a method of
    /// the responder: what is sent while a write is handled waits for that method.
    ///
    /// - Parameters:
    ///   - characteristic: a characteristic with ``CharacteristicProperties/indicate``.
    ///   - value: 0 to 512 bytes.
    /// - Returns: ``Confirmation/confirmed`` only when every central that was connected has stayed so, and
    ///   the system has reported a confirmation.
    /// - Throws: ``RadioError`` as for ``update(_:to:)``, with ``RadioError/Code/busy`` when 256 wait, and ``RadioError/Code/unsupported`` for a
    ///   characteristic without that property; `CancellationError`, which does not undo what was sent.
    func indicate(_ characteristic: AttributeID, to value: [UInt8]) async throws -> Confirmation

    /// Notifies one central alone of a value.
    ///
    /// Such values keep their order; one of ``update(_:to:)`` may overtake them, or be overtaken. This waits for room, as that does.
    ///
    /// - Parameters:
    ///   - value: 1 to 512 bytes; what is longer than the central's MTU − 3 arrives truncated.
    ///   - central: a central that has subscribed.
    ///   - characteristic: a characteristic of the published services.
    /// - Throws: ``RadioError`` with ``RadioError/Code/unsupported`` unless the publication has
    ///   ``PublicationOptions/individualNotifications``, ``RadioError/Code/peerGone`` when the central is not
    ///   subscribed, ``RadioError/Code/valueTooLong`` also for a value without bytes, which BlueZ takes for the end of all such
    ///   values; others as for ``update(_:to:)``.
    func notify(
        _ value: [UInt8],
        to central: PeerID,
        of characteristic: AttributeID
    ) async throws

    /// The ATT MTU of the connection to a central, also before its first request where the system tells
    /// it.
    ///
    /// - Parameter central: a central that is connected.
    /// - Returns: bytes, at least 23; `nil` when it is not known.
    func mtuBytes(of central: PeerID) async -> Int?

    /// The smallest ATT MTU of the connections to the centrals that may have subscribed to a characteristic.
    ///
    /// With it a value for all of them can be cut so that it arrives whole at each. Where the system does not tell who has
    /// subscribed, all that are connected count.
    ///
    /// - Parameter characteristic: a characteristic of the published services.
    /// - Returns: bytes, at least 23; `nil` when none of them is known.
    func smallestMTUBytes(of characteristic: AttributeID) async -> Int?

    /// Disconnects a central.
    ///
    /// Its requests that wait for the responder are answered first; later ones are refused with
    /// ``ATTError/unlikelyError``. Don't await this in a method of the responder: it would wait for
    /// that method. ``PublicationEvent/disconnected(_:)`` follows once the connection has ended. The
    /// central may connect again at once. Other programs of this machine lose their connections to the
    /// same device. Does nothing when the central is not connected.
    ///
    /// D-Bus: `org.bluez.Device1.Disconnect`, of which BlueZ's doc/org.bluez.Device.rst says that it
    /// refuses incoming connections until `Connect` is called; bluetoothd 5.66, 5.82 and 5.87 let the
    /// central come back.
    ///
    /// - Parameter central: a central from ``PublicationEvent/connected(_:)`` or a ``GATTRequest``.
    /// - Throws: ``RadioError`` with ``RadioError/Code/withdrawn`` after the publication has ended;
    ///   `CancellationError`.
    func disconnect(_ central: PeerID) async throws

    /// Stops advertising and removes the services.
    ///
    /// Between the two, what centrals have asked for by now is replied to, and values that wait for those replies are sent, so
    /// that a write which the responder has served does not fail. A responder that hangs is waited for as long as for any reply,
    /// 4 s on BlueZ. What centrals ask for from now on is refused, and write commands are dropped. Called by the responder in one
    /// of its methods, this does not wait for any reply. A value that was indicated has 2 s on BlueZ to be confirmed; then the
    /// centrals' connections are ended, as bluetoothd may die of a confirmation for services that are gone. Those that wait to be
    /// indicated are not sent.
    ///
    /// Returns when the system has confirmed, or is gone. Does nothing when the publication has ended.
    func withdraw() async
}

extension Publication {
    /// Fails with ``RadioError/Code/unsupported``.
    public func notify(
        _ value: [UInt8],
        to central: PeerID,
        of characteristic: AttributeID
    ) async throws {
        throw RadioError(
            .unsupported,
            "notifying \(central) alone of \(characteristic): this radio notifies all subscribers"
        )
    }

    /// Not known.
    public func mtuBytes(of central: PeerID) async -> Int? { nil }

    /// Not known.
    public func smallestMTUBytes(of characteristic: AttributeID) async -> Int? { nil }
}
