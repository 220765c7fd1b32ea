import BlueChatStore
import Glibc

/// Writes into a store until it is killed; for the tests.
///
///     chat-store-writer hold PATH                  opens the store, and keeps it; or prints why not
///     chat-store-writer write PATH SEED FIRST      carries out operations, and prints each one's number
@main
struct Writer {
    static func main() async throws {
        // Whatever becomes of the test, this process ends.
        alarm(170)
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { throw ChatStoreError(.invalid, "no path") }
        let store: ChatStore
        do {
            store = try await ChatStore.open(at: arguments[2])
        } catch let error as ChatStoreError {
            say("\(error.code)")
            exit(1)
        }
        say("open")
        guard arguments[1] == "write" else {
            while true { pause() }
        }
        guard arguments.count == 5, let seed = UInt64(arguments[3]), let first = Int(arguments[4])
        else { throw ChatStoreError(.invalid, "no seed, or no number") }
        for number in first... {
            _ = try await Operation(number, seed: seed).apply(to: store)
            say("\(number)")
        }
    }

    /// Prints a line at once: what was said is true when this process is killed.
    private static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { exit(1) }
    }
}
