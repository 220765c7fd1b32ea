/// Calls that wait for a radio, and start something then, until it is stopped; a value in an actor's state.
package struct Beginnings: Sendable {
    private var waits: [Int: Task<Void, any Error>] = [:]
    private var lastNumber = 0

    package init() {}

    /// Whether no call waits, or is starting.
    package var isEmpty: Bool { waits.isEmpty }

    /// Calls that have begun do not go on.
    package mutating func end() {
        for wait in waits.values { wait.cancel() }
        waits = [:]
    }

    /// Adds a call.
    ///
    /// - Returns: its number.
    mutating func add(_ wait: Task<Void, any Error>) -> Int {
        lastNumber += 1
        waits[lastNumber] = wait
        return lastNumber
    }

    mutating func remove(_ number: Int) { waits[number] = nil }

    /// Whether a call may go on.
    func contains(_ number: Int) -> Bool { waits[number] != nil }
}
