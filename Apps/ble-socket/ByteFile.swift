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
    private let name: String
    private let isOwned: Bool
    /// One for each direction, as a terminal is read and written at once.
    private let queues: (reading: DispatchQueue, writing: DispatchQueue)
    private let isClosed = Atomic(false)

    /// - Parameters:
    ///   - number: an open file.
    ///   - name: what it is called in errors.
    ///   - isOwned: whether it is closed with this.
    init(_ number: Int32, name: String, isOwned: Bool) {
        self.number = number
        self.name = name
        self.isOwned = isOwned
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
    /// - Throws: ``SocketCommandFailure``.
    static func checkRoom(for path: String) throws {
        var status = stat()
        let number: Int32
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { return }
            number = EISDIR
        } else {
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
            guard access(String(folder), W_OK | X_OK) != 0 else { return }
            number = errno
        }
        throw SocketCommandFailure(
            .cannotCreate,
            "cannotCreate",
            SystemFailure(path, number).description
        )
    }

    deinit {
        finish()
    }

    /// Closes it, if it is this one's, when nothing is done with it.
    func finish() {
        guard isOwned, !isClosed.exchange(true, ordering: .relaxed) else { return }
        close(number)
    }

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

    /// Gives a terminal a size.
    func resize(to size: TerminalSize) { size.apply(to: number) }

    /// The next bytes; `nil` at the end.
    func read() async throws -> [UInt8]? {
        try await perform(POLLIN) { number in
            var bytes = [UInt8](repeating: 0, count: Self.byteCount)
            let count = Glibc.read(number, &bytes, bytes.count)
            // A terminal whose other side is closed has no end, but this.
            if count < 0 && errno == EIO { return [] }
            return count < 0 ? nil : Array(bytes.prefix(count))
        }
        .flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            // A pipe that is ready takes so many without waiting.
            let part = rest.prefix(Int(PIPE_BUF))
            let count = try await perform(POLLOUT) { number -> Int? in
                let count = part.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
                return count < 0 ? nil : count
            }
            rest = rest.dropFirst(count ?? 0)
        }
    }

    /// Does something once the file is ready.
    ///
    /// - Parameters:
    ///   - events: for what, as `poll` has it.
    ///   - work: does it; returns `nil` when the system could not, and `errno` says why.
    /// - Returns: what that returned.
    /// - Throws: `SystemFailure`; `CancellationError`.
    private func perform<Result: Sendable>(
        _ events: Int32,
        _ work: @escaping @Sendable (Int32) -> Result?
    ) async throws -> Result? {
        let cancellation = try Bell()
        let (number, name) = (number, name)
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
                    ]
                    while true {
                        guard poll(&ready, 2, -1) > 0 else { continue }
                        guard ready[1].revents == 0 else {
                            return continuation.resume(throwing: CancellationError())
                        }
                        if let result = work(number) {
                            return continuation.resume(returning: result)
                        }
                        guard errno == EINTR || errno == EAGAIN else {
                            return continuation.resume(throwing: SystemFailure(name))
                        }
                    }
                }
            }
        } onCancel: {
            cancellation.ring()
        }
    }
}
