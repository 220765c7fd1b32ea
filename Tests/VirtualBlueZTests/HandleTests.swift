import BLEDBus
import Testing
import VirtualBlueZ

/// Which handles applications get, and what centrals learn of them, as real ones were seen to do (Docs/Conformance.md).
@Suite("Handles", .timeLimit(.minutes(10)))
struct HandleTests {
    private let taken = refusal("Failed", "Failed to create entry in database")

    /// The handles of the ball's services that hci0 shows, in their order.
    private func services(_ client: Client) async throws -> [String] {
        let reply = try await client.call("GetManagedObjects", on: .root, .objectManager)
        let paths = (reply.first?.entries ?? []).compactMap(\.key.objectPath)
        let start = "\(ObjectPath.ball.rawValue)/service"
        return paths.map(\.rawValue).filter { $0.count == start.count + 4 && $0.hasPrefix(start) }
            .map { String($0.suffix(4)) }.sorted()
    }

    /// Where hci0 shows the ball's Service Changed.
    private static func serviceChanged(_ version: BlueZVersion) throws -> ObjectPath {
        let isFirst = version == .v5_66
        return try ObjectPath.ball.appending(isFirst ? "service0008" : "service0006")
            .appending(isFirst ? "char0009" : "char0007")
    }

    @Test func `are those that an application asks for`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.serve(.ball, at: "/asking", handle: 0x200)
        try await client.register("/asking")
        try await client.serve(.ball, at: "/other")
        try await client.register("/other")
        try await client.upToNow()
        // A ball has six. Who asks for nothing goes on behind the last one.
        #expect(try await services(client).suffix(3) == ["0015", "0200", "0206"])
    }

    /// Source: BlueZ, src/gatt-database.c, `write_handle`.
    @Test func `are told to who has a property for them and asks for none`() async throws {
        let client = try await World().client()
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        await client.connection.interceptCalls { call in
            guard call.message.member == "Set", let body = try? call.message.body() else {
                return false
            }
            let words = [TraceText.path(call.message.path)] + body.map(TraceText.text)
            line.yield(words.joined(separator: " "))
            return false
        }
        let only = AppCharacteristic(
            name: "only",
            uuid: UUIDs.question,
            flags: ["notify"],
            descriptorFlags: ["read"],
            hasHandles: true
        )
        try await client.serve([only], handle: 0)
        try await client.register()
        line.finish()
        var told: [String] = []
        for await line in lines { told.append(line) }
        // Between the value and the descriptor is the client configuration.
        #expect(
            told == [
                "/ball/service org.bluez.GattService1 Handle 21",
                "/ball/service/only org.bluez.GattCharacteristic1 Handle 23",
                "/ball/service/only/descriptor org.bluez.GattDescriptor1 Handle 25",
            ]
        )
    }

    @Test func `can't be taken twice, and are lost to who asks for the same service there`()
        async throws
    {
        let world = try await World()
        let client = try await world.ballConnected()
        try await client.serve(.ball, at: "/first", handle: 0x200)
        try await client.register("/first")
        try await client.serve(.one("read"), at: "/smaller", handle: 0x200)
        await #expect(throws: taken) { try await client.register("/smaller") }
        try await client.serve(.ball, at: "/overlapping", handle: 0x203)
        await #expect(throws: taken) { try await client.register("/overlapping") }
        try await client.upToNow()
        #expect(try await services(client).contains("0200"))
        try await client.serve(.ball, at: "/same", handle: 0x200)
        await #expect(throws: taken) { try await client.register("/same") }
        try await client.upToNow()
        #expect(try await !services(client).contains("0200"))
    }

    @Test func `end`() async throws {
        let world = try await World()
        let client = try await world.client()
        try await client.serve(.ball, at: "/last", handle: 0xfffa)
        try await client.register("/last")
        try await client.serve(.ball)
        await #expect(throws: taken) { try await client.register() }
        try await client.unregister("/last")
        try await client.register("/last")
        try await client.serve(.ball, at: "/beyond", handle: 0xfffb)
        await #expect(throws: taken) { try await client.register("/beyond") }
    }

    /// The Database Hash stays as it is then, and who reads the same one keeps what it knows.
    @Test(arguments: [(0x3f4, "03fa", false), (0x3f5, "03fb", true)] as [(UInt16, String, Bool)])
    func `beyond 1,023 are not seen to go`(before: UInt16, own: String, isKept: Bool) async throws {
        let world = try await World()
        let other = try await world.client()
        try await other.serve(.ball, at: "/other", handle: before)
        try await other.register("/other")
        let client = try await world.ballConnected()
        try await client.unregister()
        try await client.upToNow()
        #expect(try await services(client).contains(own) == isKept)
        guard isKept else { return }
        let answer = try ObjectPath.ball.appending("service03fb").appending("char03fe")
        await #expect(throws: refusal("Failed", "Operation failed with ATT error: 0x01")) {
            _ = try await client.call("ReadValue", on: answer, .characteristic, [.noOptions])
        }
        try await client.register()
        try await client.upToNow()
        #expect(try await services(client).suffix(3) == ["03f5", "03fb", "0401"])
        // What has gone makes room for what has its handles now.
        try await other.unregister("/other")
        try await other.serve(.ball, at: "/again", handle: 0x3f6)
        try await other.register("/again")
        try await client.upToNow()
        #expect(try await services(client).suffix(2) == ["03f6", "0401"])
    }

    /// The daemon's own subscription goes along with that of a client.
    @Test(arguments: [.v5_66, .v5_82, .v5_87] as [BlueZVersion])
    func `are not seen to change after a client's subscription to Service Changed`(
        version: BlueZVersion
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        let known = try await services(client)
        let path = try Self.serviceChanged(version)
        _ = try await client.call("StartNotify", on: path, .characteristic)
        try await client.serve(.ball, at: "/other", handle: 0x200)
        try await client.register("/other")
        #expect(
            try await client.upToNow().contains {
                $0.contains("\(path.lastComponent)") && $0.contains("Value=")
            }
        )
        #expect(try await services(client).last == "0200")
        _ = try await client.call("StopNotify", on: path, .characteristic)
        try await client.unregister("/other")
        try await client.unregister()
        try await client.upToNow()
        #expect(try await services(client) == known + ["0200"])
    }

    /// The peer refuses one request, which bluetoothd 5.87 sends again.
    @Test(arguments: [(.v5_66, true), (.v5_82, true), (.v5_87, false)] as [(BlueZVersion, Bool)])
    func `that changed unseen have the next request refused, once`(
        version: BlueZVersion,
        isTold: Bool
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        let path = try Self.serviceChanged(version)
        _ = try await client.call("StartNotify", on: path, .characteristic)
        _ = try await client.call("StopNotify", on: path, .characteristic)
        try await client.serve(.ball, at: "/other", handle: 0x200)
        try await client.register("/other")
        if isTold {
            await #expect(throws: refusal("Failed", "Operation failed with ATT error: 0x12")) {
                _ = try await client.call("StartNotify", on: path, .characteristic)
            }
        }
        _ = try await client.call("StartNotify", on: path, .characteristic)
        // What changes from then on is seen.
        try await client.serve(.ball, at: "/third", handle: 0x300)
        try await client.register("/third")
        try await client.upToNow()
        #expect(try await services(client).last == "0300")
    }

    /// These versions list advertised services beside those that were found.
    @Test(arguments: [.v5_82, .v5_87] as [BlueZVersion])
    func `of services that went unseen are not listed at the next connection`(
        version: BlueZVersion
    ) async throws {
        let world = try await World(version: version)
        let client = try await world.ballConnected()
        func listed() async throws -> Bool? {
            try await client.property("UUIDs", of: .device, at: .ball)?.strings?
                .contains(UUIDs.service)
        }
        #expect(try await listed() == true)
        let path = try Self.serviceChanged(version)
        _ = try await client.call("StartNotify", on: path, .characteristic)
        _ = try await client.call("StopNotify", on: path, .characteristic)
        try await client.unregister()
        #expect(try await listed() == true)
        await client.begin("Disconnect", on: .ball, .device)
        try await client.upToNow()
        world.clock.advance(by: .seconds(2))
        try await client.upTo("return Disconnect")
        _ = try await client.call("Connect", on: .ball, .device)
        try await client.upTo("- hci0/dev_00_AA_01_01_00_01/service0013 GattService1")
        try await client.upToNow()
        #expect(try await listed() == false)
    }

    /// The next connection has a subscription of its own.
    @Test func `are seen to change after one that ends between two connections`() async throws {
        let world = try await World()
        let client = try await world.ballConnected()
        let path = try Self.serviceChanged(.v5_66)
        _ = try await client.call("StartNotify", on: path, .characteristic)
        await client.begin("Disconnect", on: .ball, .device)
        try await client.upToNow()
        world.clock.advance(by: .seconds(2))
        try await client.upTo("hci0/dev_00_AA_01_01_00_01 Device1 Connected=false")
        _ = try await client.call("StopNotify", on: path, .characteristic)
        _ = try await client.call("Connect", on: .ball, .device)
        try await client.upToNow()
        try await client.serve(.ball, at: "/other", handle: 0x200)
        try await client.register("/other")
        try await client.upToNow()
        #expect(try await services(client).last == "0200")
    }
}
