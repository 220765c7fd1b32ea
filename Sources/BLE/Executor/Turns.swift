/// Who may send, of those who wait for room: one at a time, in the order in which they came.
///
/// A value: its owner ends each turn that it has given, and goes on only once the turn has begun.
package struct Turns: Sendable {
    /// How many may wait behind the one whose turn it is.
    package static let maximumWaitingCount = 1024

    /// A place in the order.
    package struct Turn: Sendable {
        fileprivate let number: Int
        /// Kept when it begins; `nil` when it has begun.
        fileprivate let beginning: Promise<Void>?

        /// Waits until it begins.
        ///
        /// - Throws: `CancellationError`, what all failed with; it is to be ended all the same.
        package nonisolated(nonsending) func begin() async throws {
            try await beginning?.wait()
        }
    }

    /// The first one's turn it is.
    private var turns: [Turn] = []
    private var lastNumber = 0

    package init() {}

    /// How many send or wait.
    package var count: Int { turns.count }

    /// Joins the others.
    ///
    /// - Returns: the turn; `nil` when too many wait.
    package mutating func join() -> Turn? {
        guard turns.count <= Self.maximumWaitingCount else { return nil }
        lastNumber += 1
        let turn = Turn(number: lastNumber, beginning: turns.isEmpty ? nil : Promise())
        turns.append(turn)
        return turn
    }

    /// A turn is over, or who waited for it does so no longer.
    package mutating func end(_ turn: Turn) {
        guard let index = turns.firstIndex(where: { $0.number == turn.number }) else { return }
        turns.remove(at: index)
        if index == 0 { turns.first?.beginning?.fulfil() }
    }

    /// None begins any more.
    package mutating func failAll(_ error: any Error) {
        for turn in turns { turn.beginning?.fail(error) }
        turns = []
    }
}
