internal import CDBus
internal import Glibc

/// Marshalled bytes that many values may point into; freed when the last one goes.
///
/// `@unchecked Sendable`: the bytes are written before the value is shared, and never after.
struct WireBytes: @unchecked Sendable {
    /// What frees the bytes.
    private final class Owner {
        private let buffer: UnsafeRawBufferPointer
        private let isFromLibdbus: Bool

        init(_ buffer: UnsafeRawBufferPointer, isFromLibdbus: Bool) {
            self.buffer = buffer
            self.isFromLibdbus = isFromLibdbus
        }

        deinit {
            if isFromLibdbus {
                dbus_free(UnsafeMutableRawPointer(mutating: buffer.baseAddress))
            } else {
                UnsafeMutableRawBufferPointer(mutating: buffer).deallocate()
            }
        }
    }

    let buffer: UnsafeRawBufferPointer
    private let owner: Owner

    private init(_ buffer: UnsafeRawBufferPointer, _ owner: Owner) {
        self.buffer = buffer
        self.owner = owner
    }

    /// Bytes from libdbus's allocator, which belong to this value and its parts from now on.
    init(owning buffer: UnsafeRawBufferPointer) {
        self.init(buffer, Owner(buffer, isFromLibdbus: true))
    }

    /// A copy of bytes.
    init(copying bytes: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        let buffer = UnsafeRawBufferPointer(copy)
        self.init(buffer, Owner(buffer, isFromLibdbus: false))
    }

    /// Some of these bytes, which keep all of them.
    func part(_ bytes: UnsafeRawBufferPointer) -> WireBytes {
        WireBytes(bytes, owner)
    }
}
