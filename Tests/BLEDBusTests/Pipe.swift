import BLEDBus
import Glibc

/// A pipe's reading end with something in it.
enum Pipe {
    static func withText(_ text: String) -> FileDescriptor? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        _ = text.withCString { write(ends[1], $0, text.utf8.count) }
        close(ends[1])
        return FileDescriptor(owning: ends[0])
    }

    static func text(_ end: FileDescriptor) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = read(end.rawValue, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
