import BLEDBus
import Testing

@Suite("A limit that nobody has set")
struct DefaultLimitTests {
    @Test func `is 60 s for a reply, as Docs/Limits.md says`() {
        #expect(Connection.defaultTimeLimit == .seconds(60))
    }
}
