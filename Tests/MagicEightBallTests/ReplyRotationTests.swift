import Testing

@testable import MagicEightBall

@Suite("The replies to one asker")
struct ReplyRotationTests {
    /// What successive reads give.
    private func reads(_ count: Int, of rotation: inout ReplyRotation) -> [Int?] {
        (0..<count).map { _ in
            let next = rotation.next
            if let next { rotation.didRead(next) }
            return next
        }
    }

    @Test func `are read in turn, those that were not read first, and stay`() {
        var rotation = ReplyRotation()
        #expect(rotation.next == nil)
        for id in 1...3 { #expect(rotation.add(id) == nil) }
        #expect(reads(7, of: &rotation) == [3, 2, 1, 3, 2, 1, 3])
        #expect(rotation.add(4) == nil)
        #expect(reads(5, of: &rotation) == [4, 2, 1, 3, 4])
    }

    @Test func `come first when they are new: an asker that reads once gets its own`() {
        var rotation = ReplyRotation()
        for id in 1...40 {
            _ = rotation.add(id)
            #expect(reads(1, of: &rotation) == [id])
        }
    }

    @Test func `that were not read are known`() {
        var rotation = ReplyRotation()
        for id in 1...2 { _ = rotation.add(id) }
        #expect(rotation.nextUnread == 2)
        rotation.didRead(2)
        #expect(rotation.nextUnread == 1)
        rotation.didRead(1)
        #expect(rotation.nextUnread == nil)
        #expect(rotation.next == 2)
    }

    @Test func `are sixteen at most; one that was read gives way first`() {
        var rotation = ReplyRotation()
        for id in 1...16 { #expect(rotation.add(id) == nil) }
        rotation.didRead(5)
        #expect(rotation.add(17) == 5)
        #expect(rotation.add(18) == 1)
        #expect(rotation.all.count == ReplyRotation.maximumCount)
    }

    @Test func `that were removed are not read`() {
        var rotation = ReplyRotation()
        for id in 1...3 { _ = rotation.add(id) }
        rotation.didRead(3)
        rotation.remove(3)
        rotation.remove(2)
        rotation.didRead(2)
        #expect(rotation.all == [1])
        #expect(reads(2, of: &rotation) == [1, 1])
    }

    @Test func `that become another one are as new`() {
        var rotation = ReplyRotation()
        for id in 1...2 { _ = rotation.add(id) }
        #expect(rotation.add(1) == nil)
        #expect(rotation.all == [2, 1])
        #expect(rotation.next == 1)
    }
}
