import BLEDBus
import BLEDBusTesting
import BLELocking
import Foundation
import Testing

@testable import VirtualBlueZ

@Suite("FaultScript", .timeLimit(.minutes(10)))
struct FaultScriptTests {
    @Test func `is read in the order of its times`() throws {
        let script = try FaultScript(
            """
            # a bad afternoon

            1.5m   Start
              5s   SetLinkQuality 0 1 0.3 20
            60000ms Kill
            1m FailCall org.bluez.Device1.Connect org.bluez.Error.Failed "Input/output error" 2
            1h SetPath 0 1 ""
            """
        )
        #expect(
            script.steps.map(\.description) == [
                "5s SetLinkQuality 0 1 0.3 20", "60000ms Kill",
                "1m FailCall org.bluez.Device1.Connect org.bluez.Error.Failed "
                    + "\"Input/output error\" 2",
                "1.5m Start", "1h SetPath 0 1 \"\"",
            ]
        )
        #expect(
            script.steps.map(\.time) == [
                .seconds(5), .seconds(60), .seconds(60), .seconds(90), .seconds(3600),
            ]
        )
        #expect(script.steps[2].arguments[2] == .string("Input/output error"))
        #expect(script.steps[4].arguments[2] == .string(""))
        #expect(script.isRandom)
    }

    @Test func `has lines that end as on any system`() throws {
        let script = try FaultScript("# a bad afternoon\r\n5s Kill\r\n\r\n6s Start\r\n")
        #expect(script.steps.map(\.description) == ["5s Kill", "6s Start"])
    }

    @Test(arguments: [
        ("5 Kill", "line 1: \"5\" is no time, as 250ms, 5s, 1.5m and 2h are"),
        ("-5s Kill", "line 1: \"-5s\" is no time, as 250ms, 5s, 1.5m and 2h are"),
        ("infs Kill", "line 1: \"infs\" is no time, as 250ms, 5s, 1.5m and 2h are"),
        ("\n5s", "line 2: there is no lever behind 5s"),
        ("5s Disconnect 0", "line 1: Disconnect(u adapter, u other) can't have 1 argument"),
        ("5s Kill 0 1", "line 1: Kill() can't have 2 arguments"),
        ("5s Unplug -1", "line 1: \"-1\" is no adapter for Unplug(u adapter)"),
        (
            "5s ForgetAfterScan 0 yes",
            "line 1: \"yes\" is no on for ForgetAfterScan(u adapter, b on)"
        ),
        ("5s Start \"", "line 1: a quotation has no end:  Start \""),
    ])
    func `says what is wrong, and where`(text: String, message: String) throws {
        let error = try #require(throws: FaultScriptError.self) { _ = try FaultScript(text) }
        #expect(error.description == message)
    }

    @Test func `a lever that isn't there is told with those that are`() throws {
        let error = try #require(throws: FaultScriptError.self) {
            _ = try FaultScript("5s Explode")
        }
        #expect(error.description.hasPrefix("line 1: Explode is no lever; there are Kill, Stop"))
    }

    @Test func `is played on a manual clock, over the daemon's death`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.client()
        try await client.watchDaemon()
        let script = try FaultScript(
            """
            0s PowerOff 1
            5s Kill
            6s Disconnect 0 1
            8s Start
            9s Unplug 1
            """
        )
        let failures = Locked<[String]>([])
        await levers.run(script) { step, error in
            failures.withLock { $0.append("\(step): \(error)") }
        }
        #expect(try await client.upToNow() == ["hci1 Adapter1 Discovering=false Powered=false"])
        await levers.passTime(.seconds(7))
        #expect(try await client.upToBus() == ["org.bluez is gone"])
        _ = try await client.call("PassTime", on: .world, .world, [.uint32(1000)])
        // It was off when the daemon died, and is turned on.
        try await client.upTo("+ hci1 LEAdvertisingManager1")
        await levers.passTime(.seconds(1))
        let gone = "- hci1 Adapter1 GattManager1 Media1 LEAdvertisingManager1"
        #expect(try await client.upToNow().last == gone)
        let told = "6s Disconnect 0 1: VirtualBlueZ.Error.Failed \"bluetoothd does not run\""
        #expect(failures.withLock { $0 } == [told])
        await levers.close()
        await levers.run(script) { _, _ in }
    }

    @Test func `time passes no more once the world is to be closed`() async throws {
        let world = try await World()
        let levers = try await VirtualWorld.open(for: world.daemon)
        let client = try await world.ballFound()
        _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        try await client.upToNow()
        let hours = Value.uint32(10 * 3_600_000)
        await client.begin("PassTime", on: .world, .world, [hours])
        try await client.upTo("hci0/dev_00_AA_01_01_00_01 Device1 RSSI=-50")
        await levers.close()
        #expect(world.clock.now.sinceStart < .seconds(10 * 3600))
    }

    @Test func `is played by the wall clock`() async throws {
        let bus = try await PrivateBus.start()
        let daemon = try await VirtualDaemon.start(on: bus.address)
        let levers = try await VirtualWorld.open(for: daemon)
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        await levers.run(try FaultScript("20ms Continue\n10ms PassTime 5")) { step, _ in
            continuation.yield(step.description)
        }
        var told: [String] = []
        for await line in stream.prefix(2) { told.append(line) }
        #expect(told == ["10ms PassTime 5", "20ms Continue"])
        await levers.close()
    }

    @Test func `every lever is told in the documentation of the world`() throws {
        let source = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/VirtualBlueZ/Levers/VirtualWorld.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        for lever in Lever.all {
            #expect(text.contains("`\(lever.name)("), "\(lever.usage)")
            #expect(Lever.all.filter { $0.name == lever.name }.count == 1, "\(lever.name)")
        }
    }
}
