/// The sockets that applications have given, or are being asked for.
struct ApplicationSockets {
    private var sockets: [ApplicationSocket.ID: ApplicationSocket] = [:]

    subscript(id: ApplicationSocket.ID) -> ApplicationSocket? {
        get { sockets[id] }
        set { sockets[id] = newValue }
    }

    var count: Int { sockets.count }

    /// Whether a socket is the one that is in use.
    func isOpen(_ id: ApplicationSocket.ID, _ socket: AttributeSocket) -> Bool {
        sockets[id]?.socket?.socket === socket
    }

    /// Closes the sockets that are meant.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    mutating func close(where isMeant: (ApplicationSocket.ID) -> Bool) -> Bool {
        let ids = sockets.keys.filter(isMeant)
        for id in ids { sockets.removeValue(forKey: id)?.socket?.close() }
        return !ids.isEmpty
    }
}
