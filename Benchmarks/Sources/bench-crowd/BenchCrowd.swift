import BLEDBusTesting
import Glibc
import Measuring
import VirtualBlueZ

/// A virtual BlueZ with one adapter that a crowd passes by: `bench-crowd COUNT SIGHTINGS [manual]`, so many
/// devices and sightings of them a second.
///
/// It says the address of its bus. For each line on standard input it waits as many seconds, or with
/// `manual` lets them pass on a clock that stands still otherwise, and says what it took. It ends with its
/// input.
@main
enum BenchCrowd {
    @MainActor static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let count = Int(arguments[1]), let rate = Double(arguments[2])
        else {
            print("usage: bench-crowd COUNT SIGHTINGS [manual]")
            exit(64)
        }
        let isManual = arguments.dropFirst(3).first == "manual"
        let bus = try PrivateBus()
        let daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: 1,
            clock: isManual ? ManualClock() : ContinuousClock(),
            seed: 1
        )
        await daemon.simulatePassersby(count, near: 0, sightingsPerSecond: rate)
        say(bus.address)
        while let seconds = readNumbers()?.first {
            let watch = Stopwatch()
            if isManual {
                await daemon.passTime(.seconds(seconds))
            } else {
                try await Task.sleep(for: .seconds(seconds))
            }
            say(
                """
                {"wall_ns":\(watch.wall),"cpu_ns":\(watch.cpu),"rss_kb":\(peakResidentKilobytes())}
                """
            )
        }
        bus.stop()
        exit(0)
    }
}
