import Testing

@testable import BlueZ

@Suite("A pause between attempts")
struct BackoffTests {
    private func pauses(seed: UInt64) -> [Duration] {
        var backoff = Backoff(first: .milliseconds(250), longest: .seconds(2))
        var random = SplitMix64(seed: seed)
        return (0..<6).map { _ in backoff.next(using: &random) }
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `doubles up to the longest, less a random part`(seed: UInt64) {
        for (pause, whole) in zip(pauses(seed: seed), [250, 500, 1000, 2000, 2000, 2000]) {
            let whole = Duration.milliseconds(whole)
            #expect((whole * 0.75...whole).contains(pause))
        }
    }

    @Test func `is the same for the same seed, and for others another`() {
        #expect(pauses(seed: 1) == pauses(seed: 1))
        #expect(Set((0..<50).map { pauses(seed: $0) }).count == 50)
    }

    /// The first numbers of the generator's reference, seeded with 1234567.
    @Test func `is made of known random numbers`() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
    }
}
