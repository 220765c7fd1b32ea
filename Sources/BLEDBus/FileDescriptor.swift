internal import Glibc

/// A file descriptor in a message, closed with the last reference to this object.
package final class FileDescriptor: Sendable {
    /// The number, valid as long as this object exists.
    package let rawValue: Int32

    /// - Parameter rawValue: an open descriptor, which this object closes.
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
