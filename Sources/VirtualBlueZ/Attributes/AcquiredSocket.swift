/// A socket that a client or an application holds, and the task that reads what it writes.
struct AcquiredSocket {
    let socket: AttributeSocket

    /// The client that it was given to; `nil` for an application's.
    let client: String?

    /// Whether the client has left the bus, and its end is still open.
    var isAbandoned = false

    private let reader: Task<Void, Never>

    init(_ socket: AttributeSocket, _ reader: Task<Void, Never>, of client: String? = nil) {
        self.socket = socket
        self.client = client
        self.reader = reader
    }

    func close() {
        socket.close()
        reader.cancel()
    }
}
