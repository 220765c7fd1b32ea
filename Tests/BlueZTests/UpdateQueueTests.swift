import BLEDBus
import Testing

@testable import BlueZ

@Suite("An update queue")
struct UpdateQueueTests {
    private let path: ObjectPath = "/answer"

    @Test func `lets values pass while no write waits for its reply`() {
        var updates = UpdateQueue()
        let isFirst = updates.admits([1], at: path)
        updates.didReceiveWrite()
        _ = updates.didReply()
        let isSecond = updates.admits([2], at: path)
        #expect(isFirst && isSecond)
    }

    @Test func `keeps values behind the writes before them, and not behind later ones`() {
        var updates = UpdateQueue()
        updates.didReceiveWrite()
        let isAdmitted = updates.admits([1], at: path)
        updates.didReceiveWrite()
        _ = updates.admits([2], at: path)
        #expect(!isAdmitted)
        let first = updates.didReply().map(\.value)
        #expect(first == [[1]])
        let second = updates.didReply().map(\.value)
        #expect(second == [[2]])
    }
}
