import BLEStorage
import FoundationEssentials
import Glibc

/// One end of a connection between a node and a command: lines of JSON, over a socket in the store's folder.
///
/// Its calls block, those of the node's end for a limited time each.
final class ControlSocket: Sendable {
    /// The socket's name in the folder.
    static let name = "control"
    /// The longest line.
    private static let maximumLineByteCount = 1_048_576

    private let descriptor: Int32

    /// Takes a socket over, which is closed with this object.
    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Connects to the node that runs with a store.
    ///
    /// - Parameter folder: the store's.
    /// - Returns: `nil` when none does.
    /// - Throws: `StoreError`: `notPermitted`, `failed`.
    static func connect(in folder: String) throws(StoreError) -> ControlSocket? {
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { throw failure("speak to the node of", folder) }
        let connected = ControlSocket(made)
        let status = withAddress(in: folder) { Glibc.connect(made, $0, $1) }
        guard status == 0 else {
            switch errno {
            // What is wrong with a folder that is none, opening the store says.
            case ENOENT, ENOTDIR, ENAMETOOLONG, ECONNREFUSED: return nil
            default: throw failure("speak to the node of", folder)
            }
        }
        return connected
    }

    /// Makes the socket to which commands connect, in place of one that a killed node left behind.
    ///
    /// - Parameter folder: the store's, which this process has.
    /// - Returns: the socket, for ``accept(_:)``.
    /// - Throws: `StoreError`: `notPermitted`, `failed`.
    static func listen(in folder: String) throws(StoreError) -> Int32 {
        unlink("\(folder)/\(name)")
        let made = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard made >= 0 else { throw failure("listen to commands in", folder) }
        // Before it has a name, so that nobody else ever can connect.
        guard fchmod(made, 0o600) == 0, withAddress(in: folder, { bind(made, $0, $1) }) == 0,
            Glibc.listen(made, 16) == 0
        else {
            let error = failure("listen to commands in", folder)
            close(made)
            throw error
        }
        return made
    }

    /// Takes the next connection.
    ///
    /// - Returns: `nil` when there is none any more, with `errno`.
    static func accept(_ listener: Int32) -> ControlSocket? {
        let accepted = Glibc.accept(listener, nil, nil)
        guard accepted >= 0 else { return nil }
        let socket = ControlSocket(accepted)
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        // Who says nothing, or reads nothing, must not keep a thread.
        var limit = timeval(tv_sec: 5, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(accepted, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        return socket
    }

    /// The folder by its descriptor: an address has room for 107 bytes, and a path may be longer.
    private static func withAddress(
        in folder: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { return -1 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: "/proc/self/fd/\(opened)/\(name)".utf8)
        }
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                $0.baseAddress.map { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) } ?? -1
            }
        }
        let code = errno
        close(opened)
        errno = code
        return status
    }

    private static func failure(_ attempt: String, _ folder: String) -> StoreError {
        let code = errno
        return StoreError(
            code == EACCES || code == EPERM ? .notPermitted : .failed,
            "Cannot \(attempt) \(folder): \(String(cString: strerror(code)))"
        )
    }

    /// Waits until the other end is gone, or ``interrupt()`` was called.
    func waitUntilClosed() {
        var byte: UInt8 = 0
        while true {
            let count = recv(descriptor, &byte, 1, 0)
            guard count < 0 ? errno == EINTR || errno == EAGAIN : count > 0 else { return }
        }
    }

    /// Ends what another thread waits for here; what was sent still arrives.
    func interrupt() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Sends a line.
    ///
    /// - Returns: whether the other end has taken it in time.
    func send(_ value: some Encodable) -> Bool {
        guard let data = try? JSONEncoder().encode(value) else { return false }
        var rest = Array(data + [UInt8(ascii: "\n")])[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Receives a line.
    ///
    /// - Parameters:
    ///   - type: what it has.
    ///   - received: what has come after the last line.
    /// - Returns: `nil` at the end, after the time limit, and for what is no such value.
    func receive<Value: Decodable>(_ type: Value.Type, _ received: inout [UInt8]) -> Value? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(received[..<end])
                received.removeFirst(end + 1)
                return try? JSONDecoder().decode(type, from: line)
            }
            guard received.count < Self.maximumLineByteCount else { return nil }
            var bytes = [UInt8](repeating: 0, count: 4_096)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            received += bytes.prefix(count)
        }
    }
}
