import BLEDBus
import Testing
import VirtualBlueZ

/// The course that a real daemon took, line by line; sent by one client, so in one order.
@Suite("A question and its answer", .timeLimit(.minutes(10)))
struct HappyPathTests {
    private static let ball = "hci0/dev_00_AA_01_01_00_01"
    private static let asker = "hci1/dev_00_AA_01_00_00_00"
    private static let uuids = (UUIDs.own + [UUIDs.service]).joined(separator: " ")

    @Test func `serving and advertising`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.ball)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        let short = ["1801", "1800", UUIDs.service, "1200", "110c", "110e", "180a"]
        let uuids = short.map { $0.count == 4 ? "0000\($0)-0000-1000-8000-00805f9b34fb" : $0 }
        let told = "hci1 Adapter1 UUIDs=[\(uuids.joined(separator: " "))]"
        #expect(
            try await client.upToNow() == [
                told, told, "hci1 LEAdvertisingManager1 ActiveInstances=1 SupportedInstances=4",
            ]
        )
    }

    @Test func `finding`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await client.begin("StartDiscovery", on: .hci0, .adapter)
        await client.begin("StopDiscovery", on: .hci0, .adapter)
        #expect(
            try await client.upToNow() == [
                "return StartDiscovery", "hci0 Adapter1 Discovering=true",
                "\(Self.ball) Device1 RSSI=-50", "return StopDiscovery",
                "\(Self.ball) Device1 -RSSI", "hci0 Adapter1 Discovering=false",
            ]
        )
    }

    @Test func `connecting and resolving`() async throws {
        let world = try await World()
        let client = try await world.ballFound()
        await client.begin("Connect", on: .ball, .device)
        let trace = try await client.upTo("\(Self.ball) Device1 Modalias=usb:v1D6Bp0246d0542")
        let own = [
            "service0008", "service0008/char0009", "service0008/char0009/desc000b",
            "service0008/char000c", "service0008/char000e", "service0008/char0010", "service0012",
            "service0012/char0013",
        ]
        let ours = [
            "service0015", "service0015/char0016", "service0015/char0018",
            "service0015/char0018/desc001a",
        ]
        let expected =
            ["+ \(Self.asker) Device1", "\(Self.ball) Device1 Connected=true", "return Connect"]
            + own.map { Self.added($0, below: Self.asker) }
            + Self.resolved(Self.asker, UUIDs.own.joined(separator: " "))
            + (own + ours).map { Self.added($0, below: Self.ball) }
            + Self.resolved(Self.ball, Self.uuids)
        #expect(trace == expected)
    }

    private static func added(_ path: String, below device: String) -> String {
        let interface =
            path.contains("desc")
            ? "GattDescriptor1" : path.contains("char") ? "GattCharacteristic1" : "GattService1"
        return "+ \(device)/\(path) \(interface)"
    }

    private static func resolved(_ device: String, _ uuids: String) -> [String] {
        [
            "\(device) Device1 ServicesResolved=true UUIDs=[\(uuids)]",
            "\(device) Device1 Alias=BlueZ 5.66 Name=BlueZ 5.66",
            "\(device) Device1 Modalias=usb:v1D6Bp0246d0542",
        ]
    }

    @Test func `asking`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.begin("StartNotify", on: .answer, .characteristic)
        let question: [Value] = [.text("Will it work?"), .options(type: "request")]
        await client.begin("WriteValue", on: .question, .characteristic, question)
        try await client.upTo("return WriteValue")
        try await client.notify("Without a doubt.")
        try await client.upTo("\(Self.answer) Value=Without a doubt.")
        await client.begin("ReadValue", on: .answer, .characteristic, [.noOptions])
        try await client.upTo("return ReadValue")
        await client.begin("StopNotify", on: .answer, .characteristic)
        try await client.upTo("call StopNotify")
        #expect(
            await client.wholeTrace(from: "call StartNotify") == [
                "call StartNotify", "\(Self.answer) Notifying=true", "return StartNotify",
                "call WriteValue Will it work?", "return WriteValue",
                "\(Self.answer) Value=Without a doubt.", "call ReadValue",
                "\(Self.answer) Value=Ask again later.", "return ReadValue",
                "\(Self.answer) Notifying=false", "return StopNotify", "call StopNotify",
            ]
        )
    }

    private static let answer = "\(ball)/service0015/char0018 GattCharacteristic1"

    @Test func `disconnecting takes two seconds`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await client.begin("Disconnect", on: .ball, .device)
        #expect(try await client.upToNow() == [])
        world.clock.advance(by: .seconds(2))
        let end = "\(Self.asker) Device1 Connected=false ServicesResolved=false"
        #expect(
            try await client.upTo(end) == [
                "\(Self.ball) Device1 ServicesResolved=false", "return Disconnect",
                "\(Self.ball) Device1 Connected=false", end,
            ]
        )
    }

    @Test func `connecting again shows no services anew`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        await world.daemon.simulateDisconnection(between: 0, and: 1)
        try await client.upToNow()
        await client.begin("Connect", on: .ball, .device)
        let end = "\(Self.ball) Device1 ServicesResolved=true"
        #expect(
            try await client.upTo(end) == [
                "\(Self.asker) Device1 Connected=true", "\(Self.ball) Device1 Connected=true",
                "return Connect", "\(Self.asker) Device1 ServicesResolved=true", end,
            ]
        )
    }
}
