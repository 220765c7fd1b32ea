import BLEDBusTesting
import BLELocking
import Testing

@testable import BLEDBus

/// What waits within a connection has a limit each.
@Suite("The limits of a connection", .timeLimit(.minutes(10)))
struct LimitTests {
    private func signal(_ byteCount: Int) throws -> Message {
        let value = Value.bytes([UInt8](repeating: 7, count: byteCount))
        return try .signal(from: "/a", "a.b", "C", [value])
    }

    @Test func `refuse to send more than 16 MiB that the bus does not read`() async throws {
        let bus = try await PrivateBus.start()
        let connection = try await Connection.open(BusAddress(bus.address))
        bus.suspend()
        let signal = try signal(1 << 20)
        var count = 0
        let failure = await #expect(throws: BusError.self) {
            while count < 100 {
                try await connection.send(signal)
                count += 1
            }
        }
        #expect(failure?.code == .overflow)
        // What the socket itself takes comes on top.
        #expect((16...20).contains(count), "\(count)")
        let call = try Message.methodCall(to: "org.freedesktop.DBus", at: "/", "a.b", "C")
        await #expect { try await connection.call(call) } throws: {
            ($0 as? BusError)?.code == .overflow
        }
        bus.resume()
        // When it reads again, all goes on.
        var isRefused = true
        while isRefused {
            do {
                _ = try await connection.callBus("GetId")
                isRefused = false
            } catch let error as BusError where error.code == .overflow {
                await Task.yield()
            }
        }
        await connection.close()
    }

    @Test(arguments: [0, 4]) func `refuse a message of more than 32 MiB`(less: Int) async throws {
        let bus = try await PrivateBus.start()
        let connection = try await Connection.open(BusAddress(bus.address))
        // The length of the array is four bytes of the body; the header comes on top.
        await #expect {
            try await connection.send(signal((1 << 25) - less))
        } throws: {
            ($0 as? BusError)?.code == .invalidMessage
        }
        _ = try await connection.callBus("GetId")
        await connection.close()
    }

    @Test func `refuse calls beyond those that wait for a bus that never replies`() async throws {
        let bus = try await PrivateBus.start()
        let connection = try await Connection.open(BusAddress(bus.address))
        bus.suspend()
        let call = try Message.methodCall(to: "a.b", at: "/", "a.b", "C")
        let refused = Locked([Int]())
        let room = 100 + CallWindow.maximumWaitingCount
        await connection.perform { connection in
            for number in 0..<room + 3 {
                connection.call(call) { result in
                    guard case .failure(let error as BusError) = result, error.code == .overflow
                    else { return }
                    refused.withLock { $0.append(number) }
                }
            }
        }
        #expect(refused.withLock { $0 } == [room, room + 1, room + 2])
        bus.stop()
        await connection.close()
    }

    @Test func `keep no string of a message that is longer than a name`() {
        var cache = StringCache()
        for byteCount in [255, 256, 1 << 20] {
            let text = [UInt8](repeating: UInt8(ascii: "x"), count: byteCount)
            let string = text.withUnsafeBufferPointer { cache.string($0) }
            #expect(string.utf8.count == byteCount)
        }
        #expect(cache.byteCount == 255)
    }

    /// As the bus counts them.
    private func ruleCount(_ connection: Connection) async throws -> Int? {
        let call = try Message.methodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus.Debug.Stats",
            "GetConnectionStats",
            [.string(await connection.uniqueName)]
        )
        let reply = try await connection.call(call).body().first
        return reply?.properties?["MatchRules"]?.integer
    }

    @Test func `leave no match rule behind`() async throws {
        let bus = try await PrivateBus.start()
        let connection = try await Connection.open(BusAddress(bus.address))
        #expect(try await ruleCount(connection) == 0)
        for number in 0..<50 {
            let rule = MatchRule(member: "C", firstArgument: "\(number % 25)")
            let id = try await connection.subscribe(to: rule) { _ in }
            #expect(try await ruleCount(connection) == 1)
            await connection.unsubscribe(id)
        }
        #expect(try await ruleCount(connection) == 0)
        await connection.close()
    }
}
