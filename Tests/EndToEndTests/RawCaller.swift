import BLE
import BLEDBus
import BlueZ
import Testing

/// A central that has connected to Bob's chat, and does with it what it is told to.
struct RawCaller {
    let adapter: Adapter
    let link: any Link

    /// An attribute of the chat's service, by the first digits in which its UUID differs.
    static func attribute(_ digits: String) throws -> AttributeID {
        let rest = "-95D8-4289-8BF3-504058B0BCB1"
        return AttributeID(
            service: try #require(BluetoothUUID("920D5470\(rest)")),
            characteristic: try #require(BluetoothUUID("920D\(digits)\(rest)"))
        )
    }

    init(_ world: any World, on name: String = "hci0") async throws {
        adapter = try await Adapter.open(name, onBusAt: world.bus.rawValue)
        let service = try Self.attribute("5471").service
        let sightings = try await adapter.scan(ScanFilter(service: service))
        var peer: PeerID?
        for try await case .seen(let sighting) in sightings where sighting.name == "Bob" {
            peer = sighting.peer
            break
        }
        link = try await adapter.connect(to: try #require(peer))
        _ = try await link.discoverServices()
    }

    /// Subscribes to both; with the second one the chat has come, and nothing is missing then.
    func subscribe() async throws {
        for digits in ["5473", "5472"] {
            try await link.subscribe(to: try Self.attribute(digits))
        }
    }

    /// - Returns: with which code it is refused; `nil` when it is taken.
    func write(_ bytes: [UInt8]) async throws -> UInt8? {
        do {
            try await link.write(bytes, to: try Self.attribute("5471"))
            return nil
        } catch let error as ATTError {
            return error.rawValue
        }
    }

    func leave() async {
        await link.disconnect()
        await adapter.close()
    }
}
