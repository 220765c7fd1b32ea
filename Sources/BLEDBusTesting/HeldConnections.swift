internal import BLELocking
internal import Glibc

/// Copies of the sockets that connect this process to a bus.
///
/// While they are open, the bus does not notice that a connection is closed. It is the same when a child
/// process has just been forked, and has not closed its copies yet.
package final class HeldConnections: Sendable {
    private let descriptors: Locked<[Int32]>

    init(toBusAt path: String) {
        let connected = Self.openDescriptors().filter { Self.peer(of: $0) == path }
        let copies = connected.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        descriptors = Locked(copies.filter { $0 >= 0 })
    }

    deinit {
        release()
    }

    /// How many connections are held.
    package var count: Int { descriptors.withLock(\.count) }

    /// Closes the copies, so that the bus notices which connections are closed.
    package func release() {
        descriptors.withLock { descriptors in
            for descriptor in descriptors { close(descriptor) }
            descriptors = []
        }
    }

    /// What is open, as there may be a thousand million numbers.
    private static func openDescriptors() -> [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return [] }
        defer { closedir(folder) }
        var descriptors: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let descriptor = Int32(name) { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// The path of the socket at the other end; `nil` for other descriptors.
    private static func peer(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(descriptor, $0, &length)
            }
        }
        guard status == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: address.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
