import Dispatch
import Glibc
import Testing

/// A terminal of which a test is the user.
final class PseudoTerminal: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The side of the user.
    let user: Int32
    /// The side of the program.
    let path: String

    private let queue = DispatchQueue(label: "reads a terminal")

    init(columns: Int = 40, rows: Int = 6) throws {
        user = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // As <asm-generic/ioctls.h> has them: TIOCSPTLCK, TIOCGPTN. Swift does not import these macros.
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard user >= 0, ioctl(user, 0x4004_5431, &lock) == 0,
            ioctl(user, 0x8004_5430, &number) == 0
        else {
            throw Failure(description: "no pseudo-terminal: \(errno)")
        }
        path = "/dev/pts/\(number)"
        resize(columns: columns, rows: rows)
    }

    deinit {
        close(user)
    }

    func resize(columns: Int, rows: Int) {
        var size = winsize()
        (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
        _ = ioctl(user, UInt(TIOCSWINSZ), &size)
    }

    /// Goes away, as a window that is closed.
    func hangUp() {
        // Another file takes the number, so that it can be closed once more.
        let other = open("/dev/null", O_RDWR | O_CLOEXEC)
        dup2(other, user)
        close(other)
    }

    /// Types a text.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(user, bytes, bytes.count)
    }

    /// Reads until a text was seen.
    ///
    /// - Returns: all up to its end.
    @discardableResult
    func wait(for text: String) async throws -> String {
        try await wait(for: [text])
    }

    /// Reads until all of these texts were seen, in any order.
    ///
    /// - Returns: all up to the end of the last.
    @discardableResult
    func wait(for texts: [String]) async throws -> String {
        var seen: [UInt8] = []
        while true {
            let text = String(decoding: seen, as: UTF8.self)
            let missing = texts.filter { !text.contains($0) }
            if missing.isEmpty { return text }
            guard let bytes = await read(1), !bytes.isEmpty else {
                let wanted = missing.joined(separator: "', '")
                throw Failure(description: "no '\(wanted)' in \(text.debugDescription)")
            }
            seen += bytes
        }
    }

    /// Reads some bytes.
    ///
    /// - Returns: `nil` when nothing came for a minute.
    func read(_ count: Int) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            queue.async { [user] in
                var ready = pollfd(fd: user, events: Int16(POLLIN), revents: 0)
                guard poll(&ready, 1, 60_000) > 0 else {
                    return continuation.resume(returning: nil)
                }
                var bytes = [UInt8](repeating: 0, count: count)
                let received = Glibc.read(user, &bytes, count)
                continuation.resume(returning: Array(bytes.prefix(max(0, received))))
            }
        }
    }

    /// How the terminal is set.
    var settings: [tcflag_t] {
        var settings = termios()
        tcgetattr(user, &settings)
        return [settings.c_iflag, settings.c_oflag, settings.c_lflag, settings.c_cflag]
    }
}
