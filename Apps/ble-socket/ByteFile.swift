import Dispatch
import Glibc
import RadioCLI
import Synchronization

/// A file, pipe or terminal that is read and written without keeping a thread of the program's tasks.
///
/// Whoever reads or writes can be cancelled.
final class ByteFile: Sendable {
    private static let byteCount = 65_536

    private let number: Int32
    let name: String
    private let isOwned: Bool
    private let isTerminal: Bool
    /// When it rings, nothing more is read than what is there; `nil` for what is read to its end.
    private let end: Bell?
    /// One for each direction, as a terminal is read and written at once.
    private let queues: (reading: DispatchQueue, writing: DispatchQueue)
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - number: an open file.
    ///   - name: what it is called in errors.
    ///   - isOwned: whether it is closed with this.
    ///   - end: for a terminal that others keep open: when it rings, nothing more is read than what is there.
    init(_ number: Int32, name: String, isOwned: Bool, end: Bell? = nil) {
        self.number = number
        self.name = name
        self.isOwned = isOwned
        self.end = end
        isTerminal = isatty(number) == 1
        queues = (
            DispatchQueue(label: "reads \(name)"), DispatchQueue(label: "writes \(name)")
        )
    }

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: which.
    ///   - flags: as `open` has them.
    /// - Throws: ``SocketCommandFailure``.
    convenience init(_ path: String, _ flags: Int32) throws {
        let number = open(path, flags | O_CLOEXEC, 0o666)
        guard number >= 0 else {
            let isRead = flags & O_ACCMODE == O_RDONLY
            throw SocketCommandFailure(
                isRead ? .noInput : .cannotCreate,
                isRead ? "noInput" : "cannotCreate",
                SystemFailure(path).description
            )
        }
        self.init(number, name: path, isOwned: true)
    }

    /// Looks that there can be a file, which may be there already.
    ///
    /// - Parameter path: which.
    /// - Throws: ``SocketCommandFailure``, also when something else is there.
    static func checkRoom(for path: String) throws {
        var status = stat()
        let reason: String
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: return
            case S_IFDIR: reason = SystemFailure(path, EISDIR).description
            default: reason = "\(path) is not a file; use standard output"
            }
        } else {
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
            guard access(String(folder), W_OK | X_OK) != 0 else { return }
            reason = SystemFailure(path, errno).description
        }
        throw SocketCommandFailure(.cannotCreate, "cannotCreate", reason)
    }

    deinit {
        finish()
    }

    /// Closes it, if it is this one's, when nothing is done with it.
    func finish() {
        guard isOwned, !isClosed.exchange(true, ordering: .relaxed) else { return }
        close(number)
    }

    /// Whether it was closed by ``finish()``.
    var isFinished: Bool { isClosed.load(ordering: .relaxed) }

    static let standardInput = ByteFile(STDIN_FILENO, name: "standard input", isOwned: false)
    static let standardOutput = ByteFile(STDOUT_FILENO, name: "standard output", isOwned: false)

    /// How many bytes a file has.
    func size() throws -> UInt64 {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SystemFailure(name) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SocketCommandFailure(
                .noInput,
                "noInput",
                "\(name) is not a file; use standard input"
            )
        }
        return UInt64(status.st_size)
    }

    /// Goes on at an offset.
    func seek(to offset: UInt64) throws {
        guard lseek(number, off_t(offset), SEEK_SET) >= 0 else { throw SystemFailure(name) }
    }

    /// Leaves out what is beyond an offset.
    func truncate(to offset: UInt64) throws {
        guard ftruncate(number, off_t(offset)) == 0 else { throw unwritable(errno) }
    }

    /// Takes the permissions of a file that this one is to replace, if there is one.
    ///
    /// - Parameters:
    ///   - path: which.
    ///   - needed: what else is permitted.
    /// - Throws: ``SocketCommandFailure``.
    func takeMode(of path: String, adding needed: mode_t = 0) throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        guard fchmod(number, status.st_mode & 0o777 | needed) == 0 else { throw unwritable(errno) }
    }

    /// Gives a terminal a size.
    func resize(to size: TerminalSize) { size.apply(to: number) }

    /// Waits until there is something to read, or an end.
    ///
    /// - Throws: `CancellationError`.
    func untilReadable() async throws { _ = try await perform(POLLIN) { _ in true } }

    /// The next bytes; `nil` at the end.
    ///
    /// - Throws: ``SocketCommandFailure``; `CancellationError`.
    func read() async throws -> [UInt8]? {
        do {
            let bytes = try await perform(POLLIN) { number in
                var bytes = [UInt8](repeating: 0, count: Self.byteCount)
                let count = Glibc.read(number, &bytes, bytes.count)
                return count < 0 ? nil : Array(bytes.prefix(count))
            }
            return bytes.isEmpty ? nil : bytes
        } catch let failure as Failure {
            // A terminal whose other side is closed has no end, but this.
            if isTerminal, failure.number == EIO { return nil }
            throw SocketCommandFailure(
                .noInput,
                "noInput",
                SystemFailure(name, failure.number).description
            )
        }
    }

    /// Writes all bytes.
    ///
    /// - Throws: ``SocketCommandFailure``, also when nobody reads them any more; `CancellationError`.
    func write(_ bytes: [UInt8]) async throws {
        guard try await offer(bytes) else { throw unwritable(EPIPE) }
    }

    /// Writes all bytes to whoever reads them, who may go.
    ///
    /// - Returns: whether somebody may read still.
    /// - Throws: ``SocketCommandFailure``; `CancellationError`.
    func offer(_ bytes: [UInt8]) async throws -> Bool {
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                // A pipe that is ready takes so many without waiting.
                let part = rest.prefix(Int(PIPE_BUF))
                let count = try await perform(POLLOUT) { number -> Int? in
                    let count = part.withUnsafeBytes {
                        Glibc.write(number, $0.baseAddress, $0.count)
                    }
                    return count < 0 ? nil : count
                }
                rest = rest.dropFirst(count)
            }
            return true
        } catch let failure as Failure {
            if failure.number == EPIPE || isTerminal && failure.number == EIO { return false }
            throw unwritable(failure.number)
        }
    }

    private func unwritable(_ number: Int32) -> SocketCommandFailure {
        SocketCommandFailure(
            .cannotCreate,
            "cannotWrite",
            SystemFailure(name, number).description
        )
    }

    /// What the system said.
    private struct Failure: Error {
        let number: Int32
    }

    /// Does something once the file is ready.
    ///
    /// - Parameters:
    ///   - events: for what, as `poll` has it.
    ///   - work: does it; returns `nil` when the system could not, and `errno` says why.
    /// - Returns: what that returned.
    /// - Throws: ``Failure``; `CancellationError`.
    private func perform<Result: Sendable>(
        _ events: Int32,
        _ work: @escaping @Sendable (Int32) -> Result?
    ) async throws -> Result {
        let cancellation = try Bell()
        let number = number
        let end = events == POLLIN ? end : nil
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                (events == POLLIN ? queues.reading : queues.writing).async {
                    var ready = [
                        pollfd(fd: number, events: Int16(events), revents: 0),
                        pollfd(
                            fd: cancellation.ends.reading,
                            events: Int16(POLLIN),
                            revents: 0
                        ),
                        // A number below zero is no file.
                        pollfd(fd: end?.ends.reading ?? -1, events: Int16(POLLIN), revents: 0),
                    ]
                    while true {
                        guard poll(&ready, 3, -1) > 0 else { continue }
                        guard ready[1].revents == 0 else {
                            return continuation.resume(throwing: CancellationError())
                        }
                        // What was written before the end may have come after the first look.
                        if ready[0].revents == 0, poll(&ready, 1, 0) == 0 {
                            return continuation.resume(throwing: Failure(number: EIO))
                        }
                        if let result = work(number) {
                            return continuation.resume(returning: result)
                        }
                        let number = errno
                        if number == EINTR { continue }
                        // A terminal whose other side is closed is always ready, and takes nothing.
                        let isHungUp = ready[0].revents & Int16(POLLHUP | POLLERR) != 0
                        guard number == EAGAIN, !isHungUp else {
                            let failure = Failure(number: number == EAGAIN ? EIO : number)
                            return continuation.resume(throwing: failure)
                        }
                    }
                }
            }
        } onCancel: {
            cancellation.ring()
        }
    }
}
