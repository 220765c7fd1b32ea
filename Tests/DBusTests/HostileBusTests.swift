import DBus
import DBusTesting
import Testing

@Suite("A bus that does not behave", .timeLimit(.minutes(1)))
struct HostileBusTests {
    private func code(_ address: String, timeLimit: Duration = .seconds(5)) async -> BusError.Code?
    {
        do {
            let connection = try await Connection.open(BusAddress(address), timeLimit: timeLimit)
            await connection.close()
            return nil
        } catch {
            return (error as? BusError)?.code
        }
    }

    @Test(arguments: [
        "", "nonsense", "unix:path=/nowhere", "unix:path=/tmp", "foo:bar=1", "unix:path=\0",
        "unix:abstract=nobody-listens-here",
    ])
    func `is not there`(address: String) async {
        #expect(await code(address) == .connectionRefused)
    }

    @Test func `accepts and says nothing`() async throws {
        let bus = try PrivateBus()
        bus.suspend()
        #expect(await code(bus.address, timeLimit: .milliseconds(50)) == .timedOut)
        bus.resume()
        #expect(await code(bus.address) == nil)
    }

    /// What a bus sends once the client has been let in; each makes libdbus end the connection.
    static let frames: [[UInt8]] = [
        [],
        Array(repeating: 0, count: 64),
        Array(repeating: 0xFF, count: 64),
        Array("l\u{2}\u{1}\u{2}".utf8) + Array(repeating: 0, count: 60),
        [UInt8(ascii: "x"), 1, 0, 1] + Array(repeating: 1, count: 60),
        // A body of 120 MB is announced and never comes.
        [UInt8(ascii: "l"), 2, 1, 1, 0, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0],
        // Kind 0, serial 0, fields longer than the message.
        [UInt8(ascii: "l"), 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0],
        [UInt8(ascii: "l"), 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [UInt8(ascii: "l"), 2, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255],
    ]

    @Test(arguments: frames)
    func `sends rubbish and hangs up`(frame: [UInt8]) async throws {
        let bus = try FakeBus(sending: frame)
        #expect(await code(bus.address) == .connectionRefused)
    }

    @Test func `does not let anybody in`() async throws {
        let bus = try FakeBus(replyingToAuthentication: "REJECTED EXTERNAL\r\n", sending: [])
        #expect(await code(bus.address) == .connectionRefused)
    }
}
