import BLE
import BLETesting
import MagicEightBall
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DiscoveryTests {
    @Test("A ball is discovered once, however often it is heard")
    func once() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.radio.sight("Ball", rssi: -40)
        _ = try await scene.discover("Other")
        #expect(await ball.rssi == RSSI(-40))
        #expect(await scene.central.devices.map(\.name) == ["Ball", "Other"])
    }

    @Test(
        "A ball outside the window is discovered when a sighting falls inside",
        arguments: [-61, -90, -19, 20, nil] as [Int?]
    )
    func window(outside: Int?) async throws {
        let scene = try await AskingScene()
        await scene.radio.sight("Ball", rssi: outside)
        await scene.radio.sight("", rssi: -50)
        await scene.radio.sight("Near", rssi: -20)
        await scene.radio.sight("Ball", rssi: -60)
        await scene.hear("discovered Near")
        await scene.hear("discovered Ball")
    }

    @Test("The window can be set, and counts from the next sighting on")
    func setWindow() async throws {
        let scene = try await AskingScene()
        #expect(await scene.central.rssiWindow == RSSI(-60)...RSSI(-20))
        await scene.central.setRSSIWindow(RSSI(-100)...RSSI(0))
        await scene.radio.sight("Far", rssi: -95)
        await scene.hear("discovered Far")
    }

    @Test("A ball that the radio forgets is lost, and can be discovered again")
    func lost() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.radio.report(.lost(ball.id))
        await scene.hear("lost Ball")
        #expect(await scene.central.devices.isEmpty)
        _ = try await scene.discover()
    }

    @Test("A ball with a link is lost when the link has ended")
    func lostWithLink() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.radio.report(.lost(ball.id))
        await scene.radio.say(.disconnected(RadioError(.peerGone, "gone")), from: "Ball")
        #expect(await scene.failure(of: asking)?.code == .deviceOffline)
        await scene.hear("disconnected Ball: deviceOffline")
        await scene.hear("failed Ball Well? deviceOffline")
        await scene.hear("lost Ball")
    }

    @Test("Who looks for no more balls can still ask those that are known")
    func stopScanning() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        await scene.central.stopScanning()
        #expect(await scene.radio.scansEnded.next() != nil)
        await scene.radio.sight("Late")
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.notify("Yes.")
        #expect(try await asking.value.stock == .yes)
        #expect(await scene.central.devices.count == 1)
    }

    @Test("A wanted ball is waited for")
    func discoverDevice() async throws {
        let scene = try await AskingScene()
        let waiting = Task {
            try await scene.central.discoverDevice { $0.name == "Wanted" }
        }
        await scene.clock.waitForSleeper(for: .seconds(10))
        await scene.radio.sight("Other")
        await scene.radio.sight("Wanted")
        #expect(try await waiting.value.name == "Wanted")
        let known = try await scene.central.discoverDevice { _ in true }
        #expect(known.name == "Other")
    }

    /// A system shows another name than the one that is advertised, once it has been connected to.
    @Test("A ball that is waited for is known by its name, also when it had another one at first")
    func discoverRenamed() async throws {
        let scene = try await AskingScene()
        await scene.radio.sight("BlueZ 5.66", as: "Wanted")
        #expect(await scene.recorder.next() == "discovered BlueZ 5.66")
        let looking = Task {
            try await scene.central.discoverDevice { $0.name == "Wanted" }
        }
        await scene.clock.waitForSleeper(for: .seconds(10))
        await scene.radio.sight("Wanted")
        #expect(try await looking.value.name == "Wanted")
    }

    @Test("No wanted ball within the limit is an error")
    func noBallFound() async throws {
        let scene = try await AskingScene()
        _ = try await scene.discover("Other")
        let waiting = Task {
            try await scene.central.discoverDevice { $0.name == "Wanted" }
        }
        await scene.clock.waitForSleeper(for: .seconds(10))
        await scene.clock.advance(by: .seconds(10))
        let error = await #expect(throws: EightBallError.self) { try await waiting.value }
        #expect(error?.code == .noBallFound)
    }

    @Test("Waiting for a ball ends when cancelled, and when the SDK is stopped")
    func discoverDeviceEnds() async throws {
        let scene = try await AskingScene()
        let cancelled = Task { try await scene.central.discoverDevice { _ in true } }
        await scene.clock.waitForSleeper(for: .seconds(10))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }

        await scene.clock.advance(by: .seconds(1))
        let stopped = Task { try await scene.central.discoverDevice { _ in true } }
        await scene.clock.waitForSleeper(for: .seconds(10))
        await scene.central.stop()
        let error = await #expect(throws: EightBallError.self) { try await stopped.value }
        #expect(error?.code == .stopped)
    }

    @Test("When the radio goes off balls are lost; when it is back, the scan goes on")
    func radioOff() async throws {
        let scene = try await AskingScene()
        _ = try await scene.discover()
        await scene.radio.become(.off)
        var heard: Set<String> = []
        for _ in 1...3 { heard.insert(try #require(await scene.recorder.next())) }
        #expect(heard == ["radio off", "failed radioOff", "lost Ball"])
        #expect(await scene.central.error?.code == .radioOff)
        #expect(await scene.central.radioState == .off)
        await #expect { try await scene.central.discoverDevice { _ in true } } throws: {
            ($0 as? EightBallError)?.code == .radioOff
        }

        await scene.clock.waitForSleeper(for: .seconds(1))
        await scene.clock.advance(by: .seconds(1))
        await scene.radio.become(.on)
        await scene.hear("radio on")
        _ = await scene.radio.scansBegun.next()
        _ = await scene.radio.scansBegun.next()
        _ = try await scene.discover()
    }

    @Test("A radio that is closed for good stops the central")
    func radioClosed() async throws {
        let scene = try await AskingScene()
        let ball = try await scene.discover()
        let asking = scene.ask("Well?", of: ball)
        try await scene.reachWrite(of: "Well?").succeed()
        await scene.hear("asked Ball Well?")
        await scene.radio.close()
        #expect(await scene.failure(of: asking)?.code == .stopped)
        await scene.hear("failed stopped")
        await scene.hear("failed Ball Well? stopped")
        await scene.hear("disconnected Ball")
    }

    @Test("Starting without a radio is an error, and starts nothing")
    func startFails() async throws {
        let radio = ScriptedCentralRadio()
        await radio.setScanError(RadioError(.off, "hci0 has no power"))
        let central = EightBallCentral(radio: radio)
        let error = await #expect(throws: EightBallError.self) { try await central.start() }
        #expect(error?.code == .radioOff)
        #expect(error?.message == "looking for balls failed: hci0 has no power")
        await radio.setScanError(nil)
        try await central.start()
        try await central.start()
        await radio.sight("Ball")
        _ = try await central.discoverDevice { _ in true }
        await central.stop()
        await central.stop()
    }
}
