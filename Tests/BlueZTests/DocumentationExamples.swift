import BLE
import BlueZ

/// The examples of the documentation, kept compiling.
enum DocumentationExamples {
    static func find() async throws {
        let adapter = try await Adapter.open()
        let scan = try await adapter.scan(ScanFilter(name: "8-Ball", rssi: RSSI(-60)...RSSI(-20)))
        for try await case .seen(let sighting) in scan {
            let link = try await adapter.connect(to: sighting.peer)
            print(try await link.discoverServices())
            await link.disconnect()
            break
        }
        await adapter.close()
    }
}
