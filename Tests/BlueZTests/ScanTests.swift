import BLE
import BLEDBus
import Testing

@testable import BlueZ

@Suite("A scan")
struct ScanTests {
    private func sighting(_ peer: String, rssi: Int) -> Sighting {
        Sighting(peer: PeerID(rawValue: peer), name: "", rssi: RSSI(rssi), serviceUUIDs: [])
    }

    @Test func `reports what its filter admits, each time anew`() async throws {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ScanEvent.self)
        var scan = Scan(ScanFilter(rssi: RSSI(-60)...RSSI(-20)), continuation, Recovery())
        scan.report(sighting("near", rssi: -50), at: "/near")
        scan.report(sighting("near", rssi: -70), at: "/near")
        scan.report(sighting("near", rssi: -50), at: "/near")
        scan.end()
        var seen: [ScanEvent] = []
        for try await event in events { seen.append(event) }
        #expect(
            seen == [
                .seen(sighting("near", rssi: -50)), .seen(sighting("near", rssi: -50)),
            ]
        )
    }

    @Test func `tells the loss of what it has reported, once`() async throws {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ScanEvent.self)
        var scan = Scan(ScanFilter(rssi: RSSI(-60)...RSSI(-20)), continuation, Recovery())
        scan.report(sighting("near", rssi: -50), at: "/near")
        scan.report(sighting("far", rssi: -90), at: "/far")
        scan.forget("/far")
        scan.forget("/near")
        scan.forget("/near")
        scan.end()
        var seen: [ScanEvent] = []
        for try await event in events { seen.append(event) }
        #expect(
            seen == [.seen(sighting("near", rssi: -50)), .lost(PeerID(rawValue: "near"))]
        )
    }

    @Test func `fails with its radio, also who waits for it to begin`() async {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ScanEvent.self)
        let scan = Scan(ScanFilter(), continuation, Recovery())
        scan.end(RadioError(.off, "off"))
        await #expect { try await scan.listening.wait() } throws: {
            ($0 as? RadioError)?.code == .off
        }
        await #expect { for try await _ in events {} } throws: {
            ($0 as? RadioError)?.code == .off
        }
    }
}
