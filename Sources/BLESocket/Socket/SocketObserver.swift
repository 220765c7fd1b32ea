/// Who is told what happens to a socket, one call at a time, in order; ``Socket/events`` has the same as a sequence.
///
/// | here | in the original |
/// |---|---|
/// | ``socketDidOpen(_:)`` | `socketDidOpen` |
/// | ``socket(_:didReceive:)`` | `socket(_:didReceive:)` |
/// | ``socket(_:didSend:)`` | `socketDidSend` |
/// | ``socket(_:didCloseUnexpectedly:)`` | `socketDidCloseUnexpectedly` |
/// | ``socket(_:didFailToSend:)`` | `socketDidFailToSend` |
/// | ``socket(_:didFailToReceive:)`` | `socketDidFailToReceive` |
/// | ``socket(_:didReceiveControl:)`` | – |
/// | ``socketDidFinishReceiving(_:)`` | – |
/// | ``socketDidStartAdvertising(_:)`` | – |
/// | ``socketDidClose(_:)`` | – |
public protocol SocketObserver: AnyObject, Sendable {
    /// A peripheral is advertised: centrals can find it from now on.
    ///
    /// Told once for each time that it waits for a central, though it is advertised anew meanwhile.
    ///
    /// - Parameter socket: the socket.
    func socketDidStartAdvertising(_ socket: Socket) async

    /// The other end is connected.
    ///
    /// - Parameter socket: the socket.
    func socketDidOpen(_ socket: Socket) async

    /// Bytes came.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - bytes: one piece, as the link has carried it.
    func socket(_ socket: Socket, didReceive bytes: [UInt8]) async

    /// A control message came.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - message: what the other end has sent with ``Socket/write(control:)``, 1 to 256 bytes.
    func socket(_ socket: Socket, didReceiveControl message: [UInt8]) async

    /// The radio has taken the last byte of one ``Socket/send(_:)``; over a stream, the other end has it.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - byteCount: how many bytes that had.
    func socket(_ socket: Socket, didSend byteCount: Int) async

    /// The other end of a stream sends no more.
    ///
    /// - Parameter socket: the socket.
    func socketDidFinishReceiving(_ socket: Socket) async

    /// One ``Socket/send(_:)`` has failed.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - error: why.
    func socket(_ socket: Socket, didFailToSend error: SocketError) async

    /// What came could not be passed on.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - error: why.
    func socket(_ socket: Socket, didFailToReceive error: SocketError) async

    /// The socket was closed by the other end, or by the system.
    ///
    /// - Parameters:
    ///   - socket: the socket.
    ///   - error: why.
    func socket(_ socket: Socket, didCloseUnexpectedly error: SocketError) async

    /// The socket was closed here.
    ///
    /// - Parameter socket: the socket.
    func socketDidClose(_ socket: Socket) async
}

extension SocketObserver {
    /// Does nothing.
    public func socketDidStartAdvertising(_ socket: Socket) async {}
    /// Does nothing.
    public func socketDidOpen(_ socket: Socket) async {}
    /// Does nothing.
    public func socket(_ socket: Socket, didReceive bytes: [UInt8]) async {}
    /// Does nothing.
    public func socket(_ socket: Socket, didReceiveControl message: [UInt8]) async {}
    /// Does nothing.
    public func socket(_ socket: Socket, didSend byteCount: Int) async {}
    /// Does nothing.
    public func socketDidFinishReceiving(_ socket: Socket) async {}
    /// Does nothing.
    public func socket(_ socket: Socket, didFailToSend error: SocketError) async {}
    /// Does nothing.
    public func socket(_ socket: Socket, didFailToReceive error: SocketError) async {}
    /// Does nothing.
    public func socket(_ socket: Socket, didCloseUnexpectedly error: SocketError) async {}
    /// Does nothing.
    public func socketDidClose(_ socket: Socket) async {}
}
