/// How many links there are, by what has been printed of them.
actor LinkTally {
    private var count = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// A connection has been printed.
    func didConnect() {
        count += 1
    }

    /// A disconnection has been printed.
    func didDisconnect() {
        count -= 1
        guard count == 0 else { return }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Returns when each connection that was printed has been followed by its disconnection.
    func allEnded() async {
        guard count > 0 else { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
