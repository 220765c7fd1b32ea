import BLEDBus
import Testing
import VirtualBlueZ

/// How much travels, by release and MTU, against captures of the originals.
@Suite("Sizes", .timeLimit(.minutes(10)))
struct SizeTests {
    @Test(
        arguments: [
            (.v5_66, 517, 510), (.v5_82, 517, 512), (.v5_87, 517, 512), (.v5_66, 100, 508),
            (.v5_82, 100, 512), (.v5_87, 100, 512),
        ] as [(BlueZVersion, Int, Int)]
    )
    func `a request`(version: BlueZVersion, mtu: Int, longest: Int) async throws {
        let world = try await World(version: version, mtu: mtu)
        let client = try await world.ballConnected()
        let path = world.release.question
        for count in [1, 97, 98, longest] {
            let text = String(repeating: "a", count: count)
            await client.begin("WriteValue", on: path, .characteristic, [.text(text), .noOptions])
            #expect(
                try await client.upTo("return WriteValue") == [
                    "call WriteValue \(text)", "return WriteValue",
                ]
            )
        }
        let body: [Value] = [.text(String(repeating: "a", count: longest + 1)), .noOptions]
        await client.begin("WriteValue", on: path, .characteristic, body)
        let refused = "error WriteValue InvalidArguments Invalid Length"
        #expect(try await client.upTo(refused) == [refused])
        #expect(
            try await client.property("MTU", of: .characteristic, at: path)
                == .uint16(UInt16(mtu))
        )
    }

    @Test(
        arguments: [
            (.v5_66, 517, 510, 514), (.v5_82, 517, 512, 514), (.v5_87, 517, 512, 514),
            (.v5_66, 100, 97, 97), (.v5_82, 100, 97, 97), (.v5_66, 23, 20, 20),
        ] as [(BlueZVersion, Int, Int, Int)]
    )
    func `a command`(
        version: BlueZVersion,
        mtu: Int,
        longestToArrive: Int,
        longestToSucceed: Int
    ) async throws {
        let world = try await World(version: version, mtu: mtu)
        let client = try await world.ballConnected(.one("write-without-response"))
        for count in Set([longestToArrive, longestToArrive + 1, longestToSucceed]).sorted() {
            let text = String(repeating: "a", count: count)
            let path = world.release.question
            await client.begin("WriteValue", on: path, .characteristic, [.text(text), .noOptions])
            let succeeds = count <= longestToSucceed
            let reply =
                succeeds ? "return WriteValue" : "error WriteValue Failed Failed to initiate write"
            let trace = try await client.upTo(reply) + client.upToNow()
            let arrives = count <= longestToArrive
            #expect(trace == (arrives ? [reply, "call WriteValue \(text)"] : [reply]), "\(count)")
        }
    }

    @Test(
        arguments: [(.v5_66, 517, 512), (.v5_66, 100, 95), (.v5_82, 100, 95), (.v5_87, 23, 18)]
            as [(BlueZVersion, Int, Int)]
    )
    func `a notification, and a read`(
        version: BlueZVersion,
        mtu: Int,
        longest: Int
    ) async throws {
        let world = try await World(version: version, mtu: mtu)
        let client = try await world.ballConnected()
        let path = world.release.answer
        let line = "\(TraceText.path(path)) GattCharacteristic1 Value="
        _ = try await client.call("StartNotify", on: path, .characteristic)
        for count in [longest, longest + 1, 600] {
            try await client.notify(String(repeating: "a", count: count))
            try await client.upTo(line + String(repeating: "a", count: longest))
        }
        await client.respond(
            to: "ReadValue",
            with: .values([.text(String(repeating: "b", count: 600))])
        )
        let read = try await client.call("ReadValue", on: path, .characteristic, [.noOptions])
        #expect(read.first?.bytes?.count == 512)
    }

    @Test func `an indication has room for two bytes more than a notification`() async throws {
        let world = try await World(mtu: 185)
        let client = try await world.ballConnected(.one("indicate"))
        _ = try await client.call("StartNotify", on: world.release.question, .characteristic)
        try await client.upToNow()
        try await client.notify(String(repeating: "a", count: 300), from: "/ball/service/only")
        let value = String(repeating: "a", count: 182)
        let told = "\(TraceText.path(world.release.question)) GattCharacteristic1 Value=\(value)"
        #expect(try await client.upToNow().contains(told))
    }

    @Test(arguments: BlueZVersion.all)
    func `a read of a full response goes on where it ends`(version: BlueZVersion) async throws {
        let world = try await World(version: version, mtu: 185)
        let client = try await world.ballConnected(.one("read"))
        func bytes(_ count: Int) -> [Value] { [.bytes([UInt8](repeating: 1, count: count))] }
        for (count, calls, length) in [(183, 1, 183), (184, 3, 512), (400, 3, 512)] {
            await client.respond(to: "ReadValue", with: .values(bytes(count)))
            let read = try await client.call(
                "ReadValue",
                on: world.release.question,
                .characteristic,
                [.noOptions]
            )
            // This application answers the same wherever it is to begin.
            #expect(read == bytes(length), "\(count)")
            let trace = try await client.upToNow().filter { $0 == "call ReadValue" }
            #expect(trace.count == calls, "\(count)")
        }
    }
}
