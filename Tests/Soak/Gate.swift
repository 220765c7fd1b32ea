/// Where askers wait while everything is to come to rest.
actor Gate {
    private var isOpen = true
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Returns when the gate is open.
    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func close() {
        isOpen = false
    }

    func open() {
        isOpen = true
        for asker in waiting { asker.resume() }
        waiting = []
    }
}
