import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

/// Calls that go wrong, as they do with a daemon that is busy, slow or broken.
@Suite("Faults of calls", .timeLimit(.minutes(10)))
struct CallFaultTests {
    private static let startDiscovery = "org.bluez.Adapter1.StartDiscovery"
    private static let write = "org.bluez.GattCharacteristic1.WriteValue"
    private static let answer =
        "hci0/dev_00_AA_01_01_00_01/service0015/char0018 GattCharacteristic1"

    /// Source: BlueZ, src/error.c, `btd_error_busy` and `btd_error_in_progress`; captures/connect_faults.
    @Test(arguments: [
        (BlueZVersion.v5_66, "Failed Operation already in progress"),
        (.v5_82, "InProgress In Progress"),
    ])
    func `InProgress, as often as it was said, and then it works`(
        version: BlueZVersion,
        connecting: String
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballFound()
        await world.daemon.simulateCallFault(.inProgress, on: Self.startDiscovery, times: 2)
        await world.daemon.simulateCallFault(.inProgress, on: "org.bluez.Device1.Connect")
        for _ in 0..<2 {
            await client.begin("StartDiscovery", on: .hci0, .adapter)
            let busy = "error StartDiscovery InProgress Operation already in progress"
            #expect(try await client.upTo(busy) == [busy])
        }
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        try await client.upTo("return StartDiscovery")
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("error Connect \(connecting)")
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("return Connect")
    }

    @Test func `a storm lasts as long as it was said`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateCallFault(
            .inProgress,
            on: Self.write,
            times: nil,
            for: .seconds(3)
        )
        let body: [Value] = [.text("Now?"), .noOptions]
        for _ in 0..<4 {
            await #expect(throws: refusal("InProgress", "In Progress")) {
                _ = try await client.call("WriteValue", on: .question, .characteristic, body)
            }
        }
        world.clock.advance(by: .seconds(3))
        _ = try await client.call("WriteValue", on: .question, .characteristic, body)
    }

    @Test func `faults of one method come in their order, and can be taken back`() async throws {
        let world = try await World()
        let client = try await world.client()
        let daemon = world.daemon
        let failed = CallFault.failure("org.bluez.Error.Failed", "Input/output error")
        await daemon.simulateCallFault(failed, on: Self.startDiscovery, below: "/org/bluez/hci1")
        await daemon.simulateCallFault(.inProgress, on: Self.startDiscovery, times: nil)
        await #expect(throws: refusal("InProgress", "Operation already in progress")) {
            _ = try await client.call("StartDiscovery", on: .hci0, .adapter)
        }
        await #expect(throws: refusal("Failed", "Input/output error")) {
            _ = try await client.call("StartDiscovery", on: .hci1, .adapter)
        }
        await #expect(throws: refusal("InProgress", "Operation already in progress")) {
            _ = try await client.call("StartDiscovery", on: .hci1, .adapter)
        }
        await daemon.removeCallFaults()
        _ = try await client.call("StartDiscovery", on: .hci1, .adapter)
    }

    @Test func `a late call does nothing before its time`() async throws {
        let world = try await World()
        let client = try await world.client()
        await world.daemon.simulateCallFault(.late(by: .seconds(3)), on: Self.startDiscovery)
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .seconds(3))
        try await client.upTo("return StartDiscovery")
        try await client.upTo("hci0 Adapter1 Discovering=true")
    }

    @Test func `calls of standard interfaces can be late too`() async throws {
        let world = try await World()
        let client = try await world.client()
        let method = "org.freedesktop.DBus.ObjectManager.GetManagedObjects"
        await world.daemon.simulateCallFault(.late(by: .seconds(1)), on: method)
        await client.begin("GetManagedObjects", on: .root, .objectManager)
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .seconds(1))
        try await client.upTo("return GetManagedObjects")
    }

    @Test func `signals overtake a late reply`() async throws {
        let world = try await World()
        let client = try await world.client()
        await world.daemon.simulateCallFault(.lateReply(by: .seconds(3)), on: Self.startDiscovery)
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        try await client.upTo("hci0 Adapter1 Discovering=true")
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .seconds(3))
        #expect(try await client.upTo("return StartDiscovery") == ["return StartDiscovery"])
    }

    /// Source: captures/answer_first, where the answer comes before the reply to the write.
    @Test func `an answer comes before the reply to the write`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        _ = try await client.call("StartNotify", on: .answer, .characteristic)
        await world.daemon.simulateCallFault(.replyAfterNotification, on: Self.write)
        try await client.upToNow()
        let body: [Value] = [.text("Now?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        try await client.upTo("call WriteValue Now?")
        try await client.notify("Yes")
        try await client.upTo("\(Self.answer) Value=Yes")
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .seconds(5))
        try await client.upTo("return WriteValue")
    }

    /// Source: P8 of what clients of BlueZ complain about: values that come before one has subscribed.
    @Test func `a value comes before the reply to StartNotify`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let method = "org.bluez.GattCharacteristic1.StartNotify"
        await world.daemon.simulateCallFault(.replyAfterNotification, on: method)
        await client.begin("StartNotify", on: .answer, .characteristic)
        try await client.upTo("call StartNotify")
        try await client.notify("early")
        #expect(
            try await client.upTo("return StartNotify") == [
                "\(Self.answer) Notifying=true", "\(Self.answer) Value=early", "return StartNotify",
            ]
        )
        // Without a notification the reply comes when a handler's time is over.
        _ = try await client.call("StopNotify", on: .answer, .characteristic)
        await world.daemon.simulateCallFault(.replyAfterNotification, on: method)
        await client.begin("StartNotify", on: .answer, .characteristic)
        try await client.upTo("\(Self.answer) Notifying=true")
        await world.daemon.passTime(.seconds(5))
        try await client.upTo("return StartNotify")
    }

    @Test func `a reply has its own time to wait for a notification`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let method = "org.bluez.GattCharacteristic1.StartNotify"
        await world.daemon.simulateCallFault(.replyAfterNotification, on: method, times: 2)
        await client.begin("StartNotify", on: .answer, .characteristic)
        try await client.upTo("call StartNotify")
        try await client.notify("early")
        try await client.upTo("return StartNotify")
        _ = try await client.call("StopNotify", on: .answer, .characteristic)
        await world.daemon.passTime(.seconds(4))
        await client.begin("StartNotify", on: .answer, .characteristic)
        try await client.upTo("\(Self.answer) Notifying=true")
        // The time of the first one is over, which waits no more.
        await world.daemon.passTime(.seconds(1))
        let trace = try await client.upToNow()
        #expect(!trace.contains("return StartNotify"))
        await world.daemon.passTime(.seconds(4))
        try await client.upTo("return StartNotify")
    }

    @Test func `no reply comes, whether or not the call has been handled`() async throws {
        let world = try await World()
        let client = try await world.client()
        await world.daemon.simulateCallFault(.ignored, on: Self.startDiscovery)
        await world.daemon.simulateCallFault(.lostReply, on: Self.startDiscovery)
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        #expect(try await client.upToNow() == [])
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        #expect(try await client.upToNow() == ["hci0 Adapter1 Discovering=true"])
        world.clock.advance(by: .seconds(3600))
        #expect(try await client.upToNow().filter { $0.contains("StartDiscovery") } == [])
    }

    /// Source: captures/kill_bluetoothd: the call under way fails with NoReply, nothing else is told.
    @Test func `the daemon dies of a call, and replies to none`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.watchDaemon()
        await world.daemon.simulateCallFault(.crash, on: Self.write)
        let body: [Value] = [.text("Now?"), .noOptions]
        await client.begin("WriteValue", on: .question, .characteristic, body)
        let noReply = "Message recipient disconnected from message bus without replying"
        let trace = try await client.upTo("error WriteValue NoReply \(noReply)")
        #expect(Set(trace).isSubset(of: ["org.bluez is gone", trace.last ?? ""]))
        let isRunning = await world.daemon.isRunning
        #expect(!isRunning)
    }
}
