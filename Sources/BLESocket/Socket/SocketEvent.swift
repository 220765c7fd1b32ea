/// What happens to a socket: the elements of ``Socket/events``, and what a ``SocketObserver`` is told.
public enum SocketEvent: Sendable {
    /// A peripheral is advertised: centrals can find it from now on; once for each time that it waits for one.
    case advertising
    /// The other end is connected.
    case opened
    /// Bytes came: one piece, as the link has carried it, of at most 4,096.
    case received([UInt8])
    /// A control message came: what the other end has sent with ``Socket/write(control:)``.
    case receivedControl([UInt8])
    /// The radio has taken the last byte of one ``Socket/send(_:)`` of so many bytes; over a stream, the other end has it.
    case sent(Int)
    /// The other end of a stream sends no more.
    case finishedReceiving
    /// One ``Socket/send(_:)`` has failed.
    case failedToSend(SocketError)
    /// What came could not be passed on; also when events were not told because too many waited.
    case failedToReceive(SocketError)
    /// It was closed: by the other end or the system, with why, or here.
    case closed(SocketError?)
}

/// What a socket is.
public enum SocketState: Hashable, Sendable {
    /// Neither open, nor being opened.
    case closed
    /// It waits for the radio, and for the other end; also after a loss, where it opens again by itself.
    case opening
    /// The other end is connected.
    case open
    /// A stream whose connection is lost, and being made again.
    case interrupted
}

extension SocketEvent {
    /// Tells an observer.
    func tell(_ observer: any SocketObserver, of socket: Socket) async {
        switch self {
        case .advertising: await observer.socketDidStartAdvertising(socket)
        case .opened: await observer.socketDidOpen(socket)
        case .received(let bytes): await observer.socket(socket, didReceive: bytes)
        case .receivedControl(let message):
            await observer.socket(socket, didReceiveControl: message)
        case .sent(let count): await observer.socket(socket, didSend: count)
        case .finishedReceiving: await observer.socketDidFinishReceiving(socket)
        case .failedToSend(let error): await observer.socket(socket, didFailToSend: error)
        case .failedToReceive(let error): await observer.socket(socket, didFailToReceive: error)
        case .closed(let error?): await observer.socket(socket, didCloseUnexpectedly: error)
        case .closed(nil): await observer.socketDidClose(socket)
        }
    }
}
