import BLE
import BLEDBus
import BlueZ
import Testing

@Suite("A device that was connected to, and serves something else by now", .timeLimit(.minutes(10)))
struct ChangedDeviceTests {
    @Test func `is found by what it advertises`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let level = try await scene.serving.publish(
                PortScene.services[1],
                advertising: Advertisement(
                    localName: "Level",
                    serviceUUIDs: [PortScene.level.service]
                ),
                responder: CountingResponder()
            )
            let sighting = try await scene.find(ScanFilter(service: PortScene.level.service))
            let link = try await scene.central.connect(to: sighting.peer)
            #expect(try await link.discoverServices()[PortScene.level] != nil)
            await link.disconnect()
            // Returns when the connection has ended: nobody sees the service go.
            await scene.central.close()
            await level.withdraw()
            _ = try await scene.publish()
            let central = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let found = try #require(
                await withTimeLimit(.seconds(60), on: ContinuousClock()) {
                    try await scene.find(by: central)
                }
            )
            #expect(found.name == "Port")
            #expect(found.peer == sighting.peer)
            let next = try await central.connect(to: found.peer)
            #expect(try await next.discoverServices()[PortScene.output] != nil)
            await next.disconnect()
            await central.close()
            await scene.close()
        }
    }
}
