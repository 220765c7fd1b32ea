internal import BLEDBus

/// A socket that an application has given to the daemon, or is being asked for.
struct ApplicationSocket {
    /// What it is for.
    struct ID: Hashable {
        /// The adapter that serves the characteristic.
        let adapter: Int
        let handle: UInt16
        let use: SocketUse

        /// The adapter of the only central that is served through it; `nil` for all.
        let central: Int?
    }

    /// How many values wait at most: as many small ones as fit into a socket of Linux.
    ///
    /// Its default size is 212,992 bytes, of which the smallest packet takes 768.
    static let maximumWaitingCount = 278

    /// What becomes of a value.
    enum Outcome {
        /// It is in the socket, or lost on its way.
        case sent
        /// The application has no socket, and is to be called over D-Bus.
        case withoutSocket
        /// The application refuses it.
        case refused(ATTCode)
    }

    typealias Completion = @Sendable (isolated VirtualDaemon, Outcome) -> Void

    /// The socket; `nil` while the application is being asked.
    var socket: AcquiredSocket?

    /// What is to be put in once it is there.
    var waiting: [(value: [UInt8], completion: Completion)] = []
}
