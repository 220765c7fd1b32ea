import Testing

@testable import BLEDBus

@Suite("A string cache")
struct StringCacheTests {
    private func string(_ utf8: [UInt8], _ cache: inout StringCache) -> String {
        utf8.withUnsafeBufferPointer { cache.string($0) }
    }

    @Test func `gives each string as its bytes say`() {
        var cache = StringCache()
        // More than there are places, twice, and of all lengths about where a string needs memory.
        let texts = (0..<200).map { String(repeating: "x", count: $0 % 20) + "/dev_\($0)" } + [""]
        for text in texts + texts {
            #expect(string(Array(text.utf8), &cache) == text)
        }
    }

    @Test func `tells strings apart that end alike`() {
        var cache = StringCache()
        for text in ["/first/ends/alike", "/other/ends/alike", "/first/ends/alike"] {
            #expect(string(Array(text.utf8), &cache) == text)
        }
    }

    @Test func `repairs what is no UTF-8, each time`() {
        var cache = StringCache()
        let bytes = Array("/a/long/enough/path/".utf8) + [0xFF]
        for _ in 0..<2 {
            #expect(string(bytes, &cache) == "/a/long/enough/path/\u{FFFD}")
        }
    }
}
