import Testing

@testable import BLE

@Suite("Lost writes")
struct LostWritesTests {
    private static let id = AttributeID(service: "180F", characteristic: "2A19")
    private static let other = AttributeID(service: "180F", characteristic: "2A1A")
    private static let phone = PeerID(rawValue: "Phone")
    private static let watch = PeerID(rawValue: "Watch")

    /// What is said of a gap.
    private func text(_ event: PublicationEvent?) -> String {
        guard case .lostWrites(let count, let id, let central) = event else { return "nothing" }
        return "\(count) of \(central) to \(id == Self.id ? "id" : "other")"
    }

    @Test func `are counted where they are missing, apart for each central and characteristic`() {
        var lost = LostWrites()
        #expect(lost.lose(Self.id, from: Self.phone) == 1)
        #expect(lost.lose(Self.id, from: Self.phone) == nil)
        #expect(lost.lose(Self.id, from: Self.watch) == 2)
        #expect(lost.lose(Self.other, from: Self.phone) == 3)
        lost.didAccept(Self.id, from: Self.phone)
        #expect(lost.lose(Self.id, from: Self.phone) == 4)
        #expect(
            (1...4).map { text(lost.take($0)) } == [
                "2 of Phone to id", "1 of Watch to id", "1 of Phone to other", "1 of Phone to id",
            ]
        )
    }

    @Test func `are counted anew once they were told`() {
        var lost = LostWrites()
        #expect(lost.lose(Self.id, from: Self.phone) == 1)
        #expect(text(lost.take(1)) == "1 of Phone to id")
        #expect(text(lost.take(1)) == "nothing")
        #expect(lost.lose(Self.id, from: Self.phone) == 2)
    }
}
