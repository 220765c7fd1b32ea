internal import CBLEDBus
internal import Glibc

/// Marshalled bytes that several values share; freed with the last of them.
///
/// `@unchecked Sendable`: the bytes are written before the value is shared, and never after.
struct WireBytes: @unchecked Sendable {
    /// Frees the bytes.
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

    /// Takes over bytes from libdbus's allocator.
    init(owning buffer: UnsafeRawBufferPointer) {
        self.init(buffer, Owner(buffer, isFromLibdbus: true))
    }

    /// Copies bytes.
    init(copying bytes: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
        copy.copyBytes(from: bytes)
        let buffer = UnsafeRawBufferPointer(copy)
        self.init(buffer, Owner(buffer, isFromLibdbus: false))
    }

    /// Returns a part of these bytes, which keeps all of them.
    func part(_ bytes: UnsafeRawBufferPointer) -> WireBytes {
        WireBytes(bytes, owner)
    }
}
