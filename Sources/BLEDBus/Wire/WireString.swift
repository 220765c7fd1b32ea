internal import Glibc

/// A string in a message, which can be compared without making a `String`.
package struct WireString: ~Copyable {
    let utf8: UnsafeBufferPointer<UInt8>

    /// Returns whether the bytes equal those of a text.
    package func equals(_ text: StaticString) -> Bool {
        equals(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Returns whether the bytes equal those of a text.
    func equals(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { equals($0) } ?? text.utf8.elementsEqual(utf8)
    }

    @inline(__always)
    private func equals(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard utf8.count == text.count, let start = utf8.baseAddress, let other = text.baseAddress
        else { return utf8.isEmpty && text.isEmpty }
        return memcmp(start, other, utf8.count) == 0
    }

    /// A copy as a `String`.
    package var string: String {
        String(decoding: utf8, as: UTF8.self)
    }
}
