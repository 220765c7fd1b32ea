/// A socket that a client holds, and the task that reads what it writes.
struct AcquiredSocket {
    let socket: AttributeSocket
    private let reader: Task<Void, Never>

    init(_ socket: AttributeSocket, _ reader: Task<Void, Never>) {
        self.socket = socket
        self.reader = reader
    }

    func close() {
        socket.close()
        reader.cancel()
    }
}
