import BLEDBus
import BLELocking

/// What somebody was told, in order, for whoever waits for something of it.
final class Chronicle: Sendable {
    private struct State {
        var lines: [String] = []
        var readers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastReader = 0
    }

    private let state = Locked(State())

    /// How much was told so far.
    var count: Int { state.withLock { $0.lines.count } }

    /// What was told from a place on.
    func lines(from start: Int = 0) -> [String] {
        state.withLock { Array($0.lines[start...]) }
    }

    func tell(_ line: String) {
        let readers = state.withLock { state in
            state.lines.append(line)
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield() }
    }

    /// Waits until what was told from a place on is as wanted.
    ///
    /// - Parameters:
    ///   - start: the place.
    ///   - limit: how long.
    ///   - isWanted: whether it is; asked whenever something was told.
    /// - Returns: whether it has become so in time.
    func wait(
        from start: Int = 0,
        within limit: Duration,
        until isWanted: ([String]) -> Bool
    ) async -> Bool {
        let (changes, reader) = AsyncStream.makeStream(of: Void.self)
        let id = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = reader
            return state.lastReader
        }
        defer { state.withLock { $0.readers[id] = nil } }
        // The limit alone: what is waited for ends the wait before.
        let alarm = Task {
            try await Task.sleep(for: limit)
            reader.finish()
        }
        defer { alarm.cancel() }
        reader.yield()
        for await _ in changes where isWanted(lines(from: start)) { return true }
        return false
    }
}

extension [String] {
    /// Whether these are told in this order, whatever else is told in between; of "this or that" one is.
    func areTold(in lines: [String]) -> Bool {
        var rest = self[...]
        for line in lines {
            let wanted = rest.first?.split(separator: " or ") ?? []
            if wanted.contains(where: { $0 == line }) { rest.removeFirst() }
        }
        return rest.isEmpty
    }

    /// Each but those that repeat the one before.
    var withoutRepetitions: [String] {
        reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
}
