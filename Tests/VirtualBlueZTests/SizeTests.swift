import DBus
import Testing
import VirtualBlueZ

/// How much travels, by release and MTU, against captures of the originals.
@Suite("Sizes", .timeLimit(.minutes(3)))
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
}
