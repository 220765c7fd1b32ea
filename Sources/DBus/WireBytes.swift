internal import CDBus
internal import Glibc

/// Marshalled bytes that many values may point into; freed when the last one goes.
///
/// `@unchecked Sendable`: the bytes are written before the object is shared, and never after.
final class WireBytes: @unchecked Sendable {
    let buffer: UnsafeRawBufferPointer
    private let isFromLibdbus: Bool

    /// Bytes from libdbus's allocator, which belong to this object from now on.
    init(owning buffer: UnsafeRawBufferPointer) {
        self.buffer = buffer
        isFromLibdbus = true
    }

    /// A copy of bytes.
    init(copying bytes: UnsafeRawBufferPointer) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyMemory(from: bytes)
        buffer = UnsafeRawBufferPointer(copy)
        isFromLibdbus = false
    }

    deinit {
        if isFromLibdbus {
            dbus_free(UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        } else {
            UnsafeMutableRawBufferPointer(mutating: buffer).deallocate()
        }
    }
}
