internal import Glibc

/// What the thread of a session shares with the tasks that use it.
struct SessionState {
    /// The events that wait, and who waits for one.
    var events = EventQueue()
    var reader: CheckedContinuation<TerminalEvent?, Never>?

    /// What the terminal shows when it has taken the output; `nil` when that is not known.
    var shown: Screen?

    /// What the terminal has not taken yet.
    ///
    /// Only when it has, the next is accepted.
    var output: ArraySlice<UInt8> = []
    var writers: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastWriter = 0

    var size: Size
    /// Whether the terminal shows what is written; not in the background.
    var isShown = false
    /// Whether the terminal is as it was before the session, so that nothing may be written.
    var isClosed = false
    /// Whether it is so before the program was told why, so that it may go on drawing.
    var isEndUntold = false
    /// Whether the thread is to end.
    var isEnding = false
    /// The session's thread, until it is waited for.
    var thread: pthread_t?

    init(size: Size) {
        self.size = size
        events.add(.resized(size))
    }

    /// Adds an event.
    mutating func report(_ event: TerminalEvent) {
        events.add(event)
        deliver()
    }

    /// Gives the next event to who waits.
    mutating func deliver() {
        guard let reader else { return }
        if let event = events.next() {
            self.reader = nil
            if events.isFinished, events.isEmpty { isEndUntold = false }
            reader.resume(returning: event)
        } else if events.isFinished {
            self.reader = nil
            reader.resume(returning: nil)
        }
    }

    /// Whether output is taken now.
    var hasRoom: Bool { isShown && output.isEmpty }

    /// Takes output, unless there is some already, or nobody would see it.
    ///
    /// - Parameter make: makes it, from what the terminal shows, and says what it will.
    /// - Returns: whether it was taken; it is dropped when the program has not been told yet that the terminal is gone.
    /// - Throws: ``TerminalError/Code/closed``.
    mutating func accept(
        _ make: (inout Screen?) -> [UInt8]
    ) throws(TerminalError) -> Bool {
        guard !isEndUntold else { return true }
        guard !isClosed else { throw TerminalError(.closed, "the terminal is no longer in use") }
        guard hasRoom else { return false }
        output = make(&shown)[...]
        return true
    }

    /// The terminal took so many bytes.
    mutating func didWrite(_ count: Int) {
        output = output.dropFirst(count)
        if output.isEmpty { resumeWriters() }
    }

    /// What the terminal shows is not known any more, and what was to be written no longer fits.
    mutating func forget() {
        shown = nil
        output = []
        resumeWriters()
    }

    /// Accepts no more.
    mutating func close() {
        isClosed = true
        forget()
    }

    private mutating func resumeWriters() {
        for writer in writers.values { writer.resume() }
        writers = [:]
    }
}
