import BLEStorage
import RadioCLI
import RelayAccount

extension RelayStore {
    /// How long a store that another program has is waited for: a node that starts or ends, or a command.
    private static let waitLimit = Duration.seconds(5)

    /// Opens a store, uses it and closes it.
    ///
    /// - Parameters:
    ///   - folder: where it is.
    ///   - limits: how much it keeps.
    ///   - console: where it is said that this waits for another program.
    ///   - isServed: asked before each attempt to open it whether it is not needed after all.
    ///   - use: what to do with it.
    /// - Throws: `StoreError` when it cannot be opened; what its use throws; `CancellationError`.
    static func withStore(
        in folder: String,
        limits: RelayStoreLimits = RelayStoreLimits(),
        _ console: Console,
        unless isServed: () async throws -> Bool = { false },
        _ use: (RelayStore) async throws -> Void
    ) async throws {
        guard let store = try await open(in: folder, limits, console, unless: isServed) else {
            return
        }
        let result: Result<Void, any Error>
        do {
            result = .success(try await use(store))
        } catch {
            result = .failure(error)
        }
        await store.close()
        try result.get()
    }

    /// The store; `nil` when it is not needed.
    private static func open(
        in folder: String,
        _ limits: RelayStoreLimits,
        _ console: Console,
        unless isServed: () async throws -> Bool
    ) async throws -> RelayStore? {
        let deadline = ContinuousClock.now + waitLimit
        var isWaiting = false
        while true {
            if try await isServed() { return nil }
            do {
                return try await RelayStore.open(in: folder, limits: limits)
            } catch let error as StoreError where error.code == .inUse {
                guard ContinuousClock.now < deadline else { throw error }
                if !isWaiting { console.progress("waiting for the store: \(error)") }
                isWaiting = true
                // No signal tells that a file is not locked any more.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }
}
