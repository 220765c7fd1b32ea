import BLEDBus
import BLEDBusTesting
import Foundation
import Testing

/// What the tools take of the system: one socket to the bus, no name on it, nothing that listens; and for what is published a
/// socket that has a name alone.
@Suite("The rights of a tool", .timeLimit(.oneCheck))
struct RightsTests {
    /// The sockets of this machine that listen or are of the network, by inode.
    private static func openSockets() throws -> Set<String> {
        var inodes: Set<String> = []
        for file in ["tcp", "tcp6", "udp", "udp6", "raw", "raw6"] {
            let path = "/proc/net/\(file)"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
                let fields = line.split(separator: " ")
                if fields.count > 9 { inodes.insert(String(fields[9])) }
            }
        }
        // Num RefCount Protocol Flags Type St Inode Path; __SO_ACCEPTCON is among the flags.
        let unix = try String(contentsOfFile: "/proc/net/unix", encoding: .utf8)
        for line in unix.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 6, let flags = Int(fields[3], radix: 16) else { continue }
            if flags & 0x1_0000 != 0 { inodes.insert(String(fields[6])) }
        }
        return inodes
    }

    /// The inodes of a process's sockets.
    private static func sockets(of pid: pid_t) throws -> [String] {
        let folder = "/proc/\(pid)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { number in
            let target = try? FileManager.default
                .destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
            guard let target, target.hasPrefix("socket:[") else { return nil }
            return String(target.dropFirst(8).dropLast())
        }
    }

    @Test func `are those to talk with the bus, and no more`() async throws {
        try await check { world in
            let observer = try await world.observer()
            let namesBefore = try await names(observer)
            let ball = try await world.ball(on: 1, "--exec", "sleep 1000")
            let asker = try world.asker("--timeout", world.seconds(30), "Who?")
            try await asker.errorLine(with: "thinking")
            #expect(try await names(observer) == namesBefore)
            // Output and errors are sockets of the test's.
            for (tool, count) in [(ball, 4), (asker, 3)] {
                let sockets = try Self.sockets(of: tool.pid)
                let open = try Self.openSockets()
                #expect(sockets.count == count, "\(sockets)")
                #expect(open.isDisjoint(with: sockets))
            }
            _ = await asker.interrupt()
            await ball.interrupt()
        }
    }

    /// The well-known names.
    private func names(_ observer: Connection) async throws -> [String] {
        let call = try Message.methodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            "org.freedesktop.DBus",
            "ListNames"
        )
        let names = try await observer.call(call).body().first?.strings ?? []
        return names.filter { !$0.hasPrefix(":") }.sorted()
    }

    /// The policy of a system bus that does not let the user talk to bluetoothd.
    @Test(arguments: [["eightball-ask", "Who?"], ["eightball-answer"]])
    func `that the system's policy denies are asked for in one line`(
        command: [String]
    ) async throws {
        let bus = try await PrivateBus.start(denying: ["org.bluez"])
        let owner = try await Connection.open(BusAddress(bus.address))
        try await owner.requestName("org.bluez")
        let tool = try Tool(command[0], Array(command.dropFirst()), bus: bus.address)
        let outcome = await tool.end()
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("usermod -aG bluetooth"), "\(outcome)")
        await owner.close()
    }
}
