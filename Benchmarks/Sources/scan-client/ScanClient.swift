import BLE
import BlueZ
import Glibc
import Measuring
import Synchronization

/// The SDK beside scan_floor.c: `scan-client ADAPTER`, by the adapter's name.
///
/// For each line on standard input it says what it has sighted since the line before, and what that took.
/// It ends with its input.
@main
enum ScanClient {
    /// What was sighted since it was last asked for.
    private struct Count {
        var sightings = 0
        var check = 0
    }

    private static let count = Mutex(Count())

    @MainActor static func main() async throws {
        guard let name = CommandLine.arguments.dropFirst().first else {
            print("usage: scan-client ADAPTER")
            exit(64)
        }
        let events = try await Adapter.open(name).scan(ScanFilter())
        Task { @concurrent in await take(events) }
        say("ready")
        var watch = Stopwatch()
        while readNumbers() != nil {
            let taken = count.withLock { count in
                defer { count = Count() }
                return count
            }
            say(
                """
                {"wall_ns":\(watch.wall),"cpu_ns":\(watch.cpu),"sightings":\(taken.sightings),\
                "rss_kb":\(peakResidentKilobytes()),"check":\(taken.check)}
                """
            )
            watch = Stopwatch()
        }
        exit(0)
    }

    private static func take(_ events: AsyncThrowingStream<ScanEvent, any Error>) async {
        do {
            for try await event in events {
                guard case .seen(let sighting) = event else { continue }
                count.withLock { count in
                    count.sightings += 1
                    count.check += Int(sighting.rssi?.rawValue ?? 0)
                }
            }
        } catch {
            print("scan-client: \(error)")
        }
        exit(1)
    }
}
