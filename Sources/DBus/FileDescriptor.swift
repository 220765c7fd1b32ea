internal import Glibc

/// A file descriptor that came with a message or goes out with one; closed when nobody holds it.
package final class FileDescriptor: Sendable {
    /// The number, valid as long as this object lives.
    package let rawValue: Int32

    /// - Parameter rawValue: an open descriptor, which belongs to this object from now on.
    package init(owning rawValue: Int32) {
        self.rawValue = rawValue
    }

    deinit {
        close(rawValue)
    }
}

extension FileDescriptor: Hashable {
    package static func == (lhs: FileDescriptor, rhs: FileDescriptor) -> Bool { lhs === rhs }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
