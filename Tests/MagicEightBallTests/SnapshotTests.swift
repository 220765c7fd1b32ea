import BLE
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SnapshotTests {
    @Test("The nearest ball is the snapshot with the greatest strength")
    func nearest() async throws {
        let scene = try await AskingScene()
        await scene.radio.sight("Far", rssi: -58)
        await scene.radio.sight("Near", rssi: -30)
        await scene.radio.sight("Middle", rssi: -45)
        for name in ["Far", "Near", "Middle"] { await scene.hear("discovered \(name)") }
        let snapshots = await scene.central.snapshots
        #expect(snapshots.map(\.name) == ["Far", "Near", "Middle"])
        let nearest = snapshots.max { $0.smoothedRSSI < $1.smoothedRSSI }
        #expect(nearest?.name == "Near")
        #expect(nearest?.rssi == RSSI(-30))
        #expect(nearest?.isInRange == true)
        #expect(nearest?.isConnected == false)
    }

    @Test("A snapshot stays as it was; a lost ball has none")
    func stays() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let before = try #require(await ball.snapshot)
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        _ = try await asking.value
        let after = try #require(await ball.snapshot)
        #expect(!before.isConnected && after.isConnected)
        #expect(before.answer == nil && after.answer?.stock == .yes)
        #expect(after.question?.text == "Well?")
        await scene.central.stop()
        #expect(await ball.snapshot == nil)
        #expect(await scene.central.snapshots.isEmpty)
    }

    @Test("A ball has the address of its sighting")
    func address() async throws {
        let scene = try await AskingScene()
        let address = try #require(BluetoothAddress("00:AA:01:00:00:23"))
        await scene.radio.report(
            .seen(
                Sighting(
                    peer: PeerID(rawValue: "1"),
                    address: address,
                    name: "Ball",
                    rssi: RSSI(-50),
                    serviceUUIDs: []
                )
            )
        )
        await scene.hear("discovered Ball")
        #expect(await scene.central.devices.first?.address == address)
        #expect(await scene.central.snapshots.first?.address == address)
    }
}
