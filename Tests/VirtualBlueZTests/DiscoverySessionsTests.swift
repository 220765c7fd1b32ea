import DBus
import Testing

@testable import VirtualBlueZ

/// Who discovers, and when the controller scans; without a bus.
@Suite("Discovery sessions")
struct DiscoverySessionsTests {
    private func filter() throws -> DiscoveryFilter? {
        try DiscoveryFilter.parse(["DuplicateData": .bool(true)], Behavior())
    }

    @Test func `begin with the first client and end with the last`() throws {
        var sessions = DiscoverySessions()
        let first = try sessions.start(":1.1")
        let second = try sessions.start(":1.2")
        #expect(first && !second)
        let firstEnd = try sessions.stop(":1.1")
        #expect(firstEnd == .goesOn && sessions.isListening)
        let secondEnd = try sessions.stop(":1.2")
        #expect(secondEnd == .stops && !sessions.isListening)
    }

    @Test func `are refused twice, and without a beginning`() throws {
        var sessions = DiscoverySessions()
        #expect(throws: ErrorReply.failed("No discovery started")) {
            _ = try sessions.stop(":1.1")
        }
        _ = try sessions.start(":1.1")
        #expect(throws: ErrorReply.alreadyInProgress) { _ = try sessions.start(":1.1") }
    }

    @Test func `pause when a client with a filter leaves one that discovers`() throws {
        var sessions = DiscoverySessions()
        _ = try sessions.start(":1.1")
        sessions.setFilter(try filter(), of: ":1.2")
        let stops = sessions.remove(":1.2", isPowered: true)
        #expect(stops && !sessions.isListening)
        let end = try sessions.stop(":1.1")
        #expect(end == .stopsBeforeReply)
    }

    @Test func `go on after a pause when a client starts`() throws {
        var sessions = DiscoverySessions()
        _ = try sessions.start(":1.1")
        sessions.setFilter(try filter(), of: ":1.2")
        _ = sessions.remove(":1.2", isPowered: true)
        let begins = try sessions.start(":1.3")
        #expect(begins && sessions.isListening)
    }

    @Test func `end with the power, and with clients that leave without it`() throws {
        var sessions = DiscoverySessions()
        _ = try sessions.start(":1.1")
        sessions.stopAll()
        #expect(!sessions.isListening)
        _ = try sessions.start(":1.1")
        let stops = sessions.remove(":1.1", isPowered: false)
        #expect(!stops && !sessions.isListening)
    }
}
