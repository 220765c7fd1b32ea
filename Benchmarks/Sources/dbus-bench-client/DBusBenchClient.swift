import BLEDBus
import Glibc
import Measuring

/// The Swift peer of the C clients in Baselines: `dbus-bench-client MODE [COUNT [K]]`.
///
/// | mode | what is done `COUNT` times | `K` |
/// |---|---|---|
/// | seq | a call, one after the other | |
/// | pipe | a call, many at once | how many, default 64 |
/// | signals | a `PropertiesChanged` taken in | |
/// | managed | one `GetManagedObjects` of so many devices | how often, default 64 |
/// | cold | connects, calls once, and prints the time of the reply | |
///
/// The bus is named by `DBUS_BENCH_ADDRESS`.
@main
enum DBusBenchClient {
    static func main() async throws {
        guard let address = getenv("DBUS_BENCH_ADDRESS") else {
            fatalError("DBUS_BENCH_ADDRESS is not set")
        }
        let arguments = CommandLine.arguments.dropFirst()
        let mode = arguments.first ?? "seq"
        let numbers = arguments.dropFirst().compactMap(Int.init)
        let count = numbers.first ?? 1000
        let window = numbers.dropFirst().first ?? 64

        let connection = try await Connection.open(BusAddress(String(cString: address)))
        let client = BenchClient(connection)
        try await withTaskExecutorPreference(connection.loop) {
            switch mode {
            case "seq": print(try await client.sequential(count))
            case "pipe": print(try await client.pipelined(count, workers: window))
            case "signals": print(try await client.signals(count))
            case "managed": print(try await client.managedObjects(count, repeats: window))
            case "cold":
                try await client.echo()
                print(CurrentTime.wall)
            default: fatalError("there is no mode '\(mode)'")
            }
        }
        await connection.close()
    }
}
