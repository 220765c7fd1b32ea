import BLEDBus
import Testing

@testable import VirtualBlueZ

/// Who discovers, and when the controller scans; without a bus.
@Suite("Discovery sessions")
struct DiscoverySessionsTests {
    private func filter() throws -> DiscoveryFilter? {
        try DiscoveryFilter.parse(["DuplicateData": .bool(true)], Behavior())
    }

    private func begin(
        _ client: String,
        in sessions: inout DiscoverySessions
    ) throws -> DiscoverySessions.Start {
        defer { sessions.didStart() }
        return try sessions.start(client)
    }

    @Test func `begin with the first client and end with the last`() throws {
        var sessions = DiscoverySessions()
        let first = try begin(":1.1", in: &sessions)
        let second = try sessions.start(":1.2")
        #expect(first == .begins && second == .goesOn)
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
        _ = try begin(":1.1", in: &sessions)
        #expect(throws: ErrorReply.alreadyInProgress) { _ = try sessions.start(":1.1") }
    }

    @Test func `pause when a client with a filter leaves one that discovers`() throws {
        var sessions = DiscoverySessions()
        _ = try begin(":1.1", in: &sessions)
        sessions.setFilter(try filter(), of: ":1.2")
        let stops = sessions.remove(":1.2")
        #expect(stops && !sessions.isListening)
        let end = try sessions.stop(":1.1")
        #expect(end == .stopsBeforeReply)
    }

    @Test func `go on after a pause when a client starts`() throws {
        var sessions = DiscoverySessions()
        _ = try begin(":1.1", in: &sessions)
        sessions.setFilter(try filter(), of: ":1.2")
        _ = sessions.remove(":1.2")
        let start = try begin(":1.3", in: &sessions)
        #expect(start == .begins && sessions.isListening)
    }

    @Test func `end with the power, and with clients that leave without it`() throws {
        var sessions = DiscoverySessions()
        _ = try begin(":1.1", in: &sessions)
        sessions.stopAll()
        #expect(!sessions.isListening)
        let stops = sessions.remove(":1.1")
        #expect(!stops)
    }

    @Test func `have no filter any more once the power was gone`() throws {
        var sessions = DiscoverySessions()
        sessions.setFilter(try filter(), of: ":1.1")
        _ = try begin(":1.1", in: &sessions)
        #expect(sessions.isFiltered(countingTransport: true))
        sessions.stopAll()
        _ = try begin(":1.1", in: &sessions)
        #expect(!sessions.isFiltered(countingTransport: true))
    }

    @Test func `that begin at once are refused until they leave, but the last one`() throws {
        var sessions = DiscoverySessions()
        _ = try sessions.start(":1.1")
        _ = try begin(":1.2", in: &sessions)
        #expect(throws: ErrorReply.alreadyInProgress) { _ = try sessions.stop(":1.1") }
        #expect(throws: ErrorReply.alreadyInProgress) { _ = try sessions.start(":1.1") }
        let end = try sessions.stop(":1.2")
        #expect(end == .goesOn && sessions.isListening)
        let stops = sessions.remove(":1.1")
        #expect(stops && !sessions.isListening)
    }

    @Test func `that begin at once may begin anew once the power was gone`() throws {
        var sessions = DiscoverySessions()
        _ = try sessions.start(":1.1")
        _ = try begin(":1.2", in: &sessions)
        sessions.stopAll()
        let start = try begin(":1.1", in: &sessions)
        #expect(start == .begins && sessions.isListening)
    }

    @Test func `begin though the client leaves that begins last`() throws {
        var sessions = DiscoverySessions()
        _ = try sessions.start(":1.1")
        _ = try sessions.start(":1.2")
        let stops = sessions.remove(":1.2")
        #expect(!stops && sessions.isStarting)
        sessions.didStart()
        #expect(sessions.isListening)
        #expect(throws: ErrorReply.alreadyInProgress) { _ = try sessions.stop(":1.1") }
    }
}
