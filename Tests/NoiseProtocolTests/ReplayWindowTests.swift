import BLETesting
import TestThreads
import Testing

@testable import NoiseProtocol

@Suite("A replay window", .ownThread)
struct ReplayWindowTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `answers as a set of all counters does`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (window, seen, highest) = (ReplayWindow(), Set<UInt64>(), UInt64(0))
        for _ in 0..<2000 {
            let longest: UInt64 = [2, 70, 1500][Int.random(in: 0..<3, using: &generator)]
            let jump = UInt64.random(in: 0...longest, using: &generator)
            let back = UInt64.random(in: 0...1100, using: &generator)
            let counter = (highest + jump) - min(back, highest + jump)
            let expected: NoiseError.Code? =
                if highest >= counter, highest - counter >= 1024 {
                    .tooOld
                } else if seen.contains(counter) {
                    .replayed
                } else {
                    nil
                }
            #expect(refusal { try window.check(counter) } == expected)
            guard expected == nil else { continue }
            window.insert(counter)
            seen.insert(counter)
            highest = max(highest, counter)
        }
    }

    @Test func `starts anywhere, and jumps to the end`() throws {
        var window = ReplayWindow()
        window.insert(5000)
        #expect(refusal { try window.check(3976) } == .tooOld)
        try window.check(3977)
        window.insert(.max - 1)
        #expect(refusal { try window.check(.max - 1) } == .replayed)
        #expect(refusal { try window.check(5000) } == .tooOld)
        for counter in (UInt64.max - 1024)...(.max - 2) { try window.check(counter) }
    }
}
