internal import Glibc

/// A string inside a message's bytes, for comparing it without making a `String` of it.
package struct WireString: ~Copyable {
    let utf8: UnsafeBufferPointer<UInt8>

    /// Whether it is the given text, byte by byte.
    package func equals(_ text: StaticString) -> Bool {
        guard utf8.count == text.utf8CodeUnitCount, let start = utf8.baseAddress else {
            return false
        }
        return memcmp(start, text.utf8Start, utf8.count) == 0
    }

    /// Whether it is the given text, byte by byte.
    func equals(_ text: String) -> Bool {
        utf8.count == text.utf8.count && text.utf8.elementsEqual(utf8)
    }

    /// A copy.
    package var string: String {
        String(decoding: utf8, as: UTF8.self)
    }
}
