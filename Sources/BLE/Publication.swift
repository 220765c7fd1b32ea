/// A service that is published and advertised.
public protocol Publication: Sendable {
    /// Notifies all subscribed centrals of a new value.
    ///
    /// Values are sent in the order of the calls. Without a subscribed central nothing is sent. A value
    /// longer than a central's ``GATTRequest/mtuBytes`` − 3 arrives truncated there.
    ///
    /// - Parameters:
    ///   - characteristic: a characteristic of the published service.
    ///   - value: 0 to 512 bytes.
    /// - Throws: ``RadioError`` with ``RadioError/Code/withdrawn`` after the publication has ended,
    ///   ``RadioError/Code/missingAttribute``, ``RadioError/Code/valueTooLong``, or
    ///   ``RadioError/Code/busy`` when too many values wait to be sent.
    func update(_ characteristic: BluetoothUUID, to value: [UInt8]) async throws

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

    /// Stops advertising and removes the service.
    ///
    /// Returns when the system has confirmed, or is gone. Does nothing when the publication has ended.
    func withdraw() async
}
