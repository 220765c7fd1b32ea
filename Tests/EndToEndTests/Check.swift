import BLE
import BLEDBus
import BLELocking
import Foundation
import Testing
import VirtualBlueZ

/// Runs a check in the world of this run, and prints its row: `check | suite/name | world | result`.
///
/// - Parameters:
///   - name: what a row says, if the test has several.
///   - timing: how long things take in a virtual world, so that a moment can be caught.
///   - adapters: how many it needs.
///   - version: of which release of BlueZ a virtual world is.
///   - reason: why the real world can't show it, if it can't.
///   - file: its name is the suite's.
///   - body: what to check.
/// - Throws: what `body` throws; what making the world and ending it throws.
func check(
    _ name: String? = nil,
    timing: Timing = Timing(),
    adapters: Int = 2,
    version: BlueZVersion = .v5_66,
    virtualOnlyBecause reason: String? = nil,
    file: String = #fileID,
    _ body: @escaping @Sendable (any World) async throws -> Void
) async throws {
    let test = try #require(Test.current)
    let suite = file.split(separator: "/").last?.split(separator: ".").first ?? ""
    let row = "check | \(suite)/\(name ?? test.displayName ?? test.name) | \(WorldKind.name)"
    if let reason, WorldKind.current == .real {
        print("\(row) | not shown: \(reason)")
        return
    }
    try await perform(timing: timing, adapters: adapters, version: version, body) { hasFailed in
        print("\(row) | \(hasFailed ? "failed" : "passed")")
    }
}

/// Runs something in the world of this run.
///
/// - Parameters:
///   - timing: how long things take in a virtual world.
///   - adapters: how many it needs.
///   - version: of which release of BlueZ a virtual world is.
///   - body: what to check.
///   - tell: prints how it went; called in any case, with whether it has failed.
/// - Throws: what `body` throws; what making the world and ending it throws.
func perform(
    timing: Timing,
    adapters: Int,
    version: BlueZVersion = .v5_66,
    _ body: @escaping @Sendable (any World) async throws -> Void,
    telling tell: (Bool) -> Void
) async throws {
    let test = try #require(Test.current)
    let hasFailed = Locked(false)
    let witness = IssueHandlingTrait.compactMapIssues { issue in
        hasFailed.withLock { $0 = true }
        return issue
    }
    defer {
        tell(hasFailed.withLock { $0 })
        // A test process that dies later has told it.
        fflush(nil)
    }
    do {
        try await witness.provideScope(for: test, testCase: .current) {
            let kind = WorldKind.current
            let world = try await kind.begin(timing, adapters: adapters, version)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(world))
            } catch {
                hasFailed.withLock { $0 = true }
                result = .failure(error)
            }
            do { try await world.end() } catch { Issue.record(error, "after the check") }
            do {
                if hasFailed.withLock({ $0 }) { try await world.recover() }
            } catch {
                Issue.record(error, "after a check that failed")
            }
            try result.get()
        }
    } catch {
        hasFailed.withLock { $0 = true }
        throw error
    }
}

/// What a test waited for in vain.
struct WaitedInVain: Error, CustomStringConvertible {
    let description: String
}

/// Waits for something, for a minute at most, four in the real world.
///
/// - Parameters:
///   - what: what is waited for, for people.
///   - work: waits; has to end when it is cancelled.
/// - Returns: what `work` returns.
/// - Throws: `WaitedInVain`; what `work` throws.
func expected<Success: Sendable>(
    _ what: String,
    _ work: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let limit = Duration.seconds(60 * WorldKind.current.slowness)
    guard let value = try await withTimeLimit(limit, on: ContinuousClock(), work) else {
        throw WaitedInVain(description: "\(what) did not come within \(limit)")
    }
    return value
}
