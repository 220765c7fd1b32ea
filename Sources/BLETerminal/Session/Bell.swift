internal import Glibc

/// Wakes who waits in `poll`: a pipe that never blocks.
final class Bell: Sendable {
    /// Readable after ``ring()``.
    let reading: Int32
    private let writing: Int32

    init() throws(TerminalError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system("opening a pipe") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes who waits, from any thread, and in the handler of a signal.
    ///
    /// - Parameter byte: what they will read.
    func ring(_ byte: UInt8 = 0) {
        var byte = byte
        _ = write(writing, &byte, 1)
    }

    /// The next byte, if one came.
    func next() -> UInt8? {
        var byte: UInt8 = 0
        return read(reading, &byte, 1) == 1 ? byte : nil
    }
}
