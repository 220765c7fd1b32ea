import BLE
import BLEDBus
import BLESocket
import BlueZ
import Foundation
import Testing
import VirtualBlueZ

/// `ble-socket`, as somebody at a shell runs it.
@Suite("ble-socket", .timeLimit(.oneCheck))
struct SocketToolTests {
    /// A megabyte, or what an emulated machine carries in some seconds.
    private static let byteCount = WorldKind.current == .virtual ? 300_000 : 60_000

    /// Whoever writes with responses keeps the order also between two bluetoothd 5.66.
    @Test(arguments: ["stream", "geotab", "geotab --preset iox", "raw"])
    func `sends a file`(transport: String) async throws {
        let isUnordered = transport == "geotab" && WorldKind.name == "5.66"
        try await check(
            "sends a file by \(transport)",
            virtualOnlyBecause: isUnordered
                ? "Keyless's writes have no response, and may overtake each other" : nil
        ) { world in
            let files = try Files(byteCount: Self.byteCount)
            defer { files.remove() }
            let options = ["--transport"] + transport.split(separator: " ").map(String.init)
            let transfer = try FileTransfer(of: files, in: world, options)
            let (sent, received) = await transfer.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == 0, "\(received)")
            #expect(try files.areEqual, "\(sent)\n\(received)")
            let verified = transport == "stream" ? "yes" : "no"
            for (events, verb) in [(sent.events, "sent"), (received.events, "received")] {
                let event = try #require(events.first { $0["event"] as? String == verb })
                #expect(event["bytes"] as? Int == Self.byteCount)
                #expect(event["verified"] as? String == verified)
            }
        }
    }

    /// The other way: of notifications none has a response.
    @Test(arguments: ["stream", "geotab", "raw"])
    func `sends a file to who connects`(transport: String) async throws {
        let isUnordered = transport != "stream" && WorldKind.name == "5.66"
        try await check(
            "sends a file to who connects by \(transport)",
            virtualOnlyBecause: isUnordered
                ? "notifications have no response, and may overtake each other" : nil
        ) { world in
            let files = try Files(byteCount: Self.byteCount / 10)
            defer { files.remove() }
            let options = ["--transport", transport, "--json"]
            let sender = try Tool(
                "ble-socket",
                ["listen", "--adapter", "hci1", "--send", files.original] + options,
                bus: world.bus.rawValue
            )
            let receiver = try Tool(
                "ble-socket",
                ["connect", "--adapter", "hci0", "--receive", files.copy] + options,
                bus: world.bus.rawValue
            )
            let received = await receiver.end()
            // Nobody else calls.
            if received.status == 68 { sender.send(SIGTERM) }
            let sent = await sender.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == 0, "\(received)")
            #expect(try files.areEqual, "\(sent)\n\(received)")
        }
    }

    /// Each release of bluetoothd, with MTUs of a phone that asks for none, of an iPhone and of two BlueZ.
    ///
    /// One at a time: with nine of them at once, on a machine that is busy with other work, a frame waited for its rest for longer
    /// than its limit of 5 s.
    @Test(
        .serialized,
        .enabled(if: WorldKind.current == .virtual),
        arguments: ["geotab", "raw", "stream"],
        [BlueZVersion.v5_66, .v5_82, .v5_87]
    )
    func `sends a file with any MTU`(transport: String, version: BlueZVersion) async throws {
        for mtu in [23, 185, 517] {
            let world = try await VirtualWorld(Timing(), version, mtu: mtu)
            let files = try Files(byteCount: mtu == 23 ? 6_000 : 20_000)
            defer { files.remove() }
            let options = ["--transport", transport]
            let (sent, received) = try await FileTransfer(of: files, in: world, options).end()
            #expect(sent.status == 0, "\(mtu): \(sent)")
            #expect(received.status == 0, "\(mtu): \(received)")
            #expect(try files.areEqual, "\(mtu): \(sent)\n\(received)")
            try await world.end()
        }
    }

    /// Whatever happens to the connection, and to bluetoothd.
    @Test func `sends a file over connections that are lost, and bluetoothds that die`()
        async throws
    {
        try await check { world in
            let files = try Files(byteCount: Self.byteCount)
            defer { files.remove() }
            let transfer = try FileTransfer(of: files, in: world, ["--resume", "170"])
            _ = try await transfer.sender.line(with: #""event":"connected""#)
            try await world.endLink(from: 0, to: 1)
            // So that it comes while another connection is made, or has just been.
            try await Task.sleep(for: .milliseconds(300 * WorldKind.current.slowness))
            try await world.killDaemon()
            try await world.startDaemon()
            let (sent, received) = await transfer.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == 0, "\(received)")
            #expect(try files.areEqual, "\(sent)\n\(received)")
        }
    }

    @Test func `goes on with a file where the last attempt ended`() async throws {
        try await check { world in
            let files = try Files(byteCount: Self.byteCount)
            defer { files.remove() }
            let first = try FileTransfer(of: files, in: world)
            _ = try await first.listener.line(with: #""event":"connected""#)
            while try files.partialByteCount < Self.byteCount / 10 {
                try await Task.sleep(for: .milliseconds(5))
            }
            first.sender.send(SIGTERM)
            #expect(await first.end().received.status == 75)
            let kept = try files.partialByteCount
            #expect(kept > 0 && kept < Self.byteCount)

            let (sent, received) = try await FileTransfer(of: files, in: world).end()
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == 0, "\(received)")
            #expect(try files.areEqual, "\(sent)\n\(received)")
            #expect(try files.partialByteCount == 0)
        }
    }

    @Test func `runs a command for the other end`() async throws {
        try await check { world in
            let listener = try world.socketListener("--exec", "tr a-z A-Z", "--json")
            let caller = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "echo Will it rain | exec \"$0\" connect --adapter hci0", Tool.socketPath],
                bus: world.bus.rawValue
            )
            let outcome = await caller.end()
            #expect(outcome.output == "WILL IT RAIN\n")
            #expect(outcome.status == 0, "\(outcome)")
            let heard = await listener.end()
            #expect(heard.status == 0, "\(heard)")
            #expect(heard.eventNames.contains("exited"))
        }
    }

    /// The other end has all that it said.
    @Test func `tells programs how a command has ended`() async throws {
        try await check { world in
            let listener = try world.socketListener("--exec", "cat; exit 3", "--json")
            let caller = try world.tool("ble-socket", "connect", "--adapter", "hci0")
            try await caller.end().requireSuccess()
            let heard = await listener.end()
            #expect(heard.status == 0, "\(heard)")
            let exited = heard.events.first { $0["event"] as? String == "exited" }
            #expect(exited?["status"] as? Int == 3, "\(heard)")
        }
    }

    @Test(arguments: ["stream", "raw"])
    func `runs a command to its end that has closed its output before`(
        transport: String
    ) async throws {
        try await check("runs a command to its end by \(transport)") { world in
            let files = try Files(byteCount: 30_000)
            defer { files.remove() }
            let command = "exec cat > '\(files.copy)'"
            let listener = try world.socketListener("--transport", transport, "--exec", command)
            // Raw bytes end with the connection.
            let options = "--transport \(transport) --linger \(world.seconds(0.5))"
            let connect = "exec \"$0\" connect --adapter hci0 \(options) < '\(files.original)'"
            let caller = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", connect, Tool.socketPath],
                bus: world.bus.rawValue
            )
            let called = await caller.end()
            #expect(called.status == 0, "\(called)")
            let listened = await listener.end()
            #expect(listened.status == 0, "\(listened)")
            #expect(try files.areEqual)
        }
    }

    /// What runs there has the terminal open still, and does not mind that it is hung up.
    @Test func `ends with its shell, which leaves something in the background`() async throws {
        try await check { world in
            let files = try Files(byteCount: 1)
            defer { files.remove() }
            let gate = files.path(of: "gate")
            guard mkfifo(gate, 0o600) == 0 else { throw POSIXError(.EIO) }
            let command = "trap '' HUP; cat '\(gate)' & echo last words"
            let listener = try world.socketListener("--pty", "--exec", command)
            let called = await (try world.tool("ble-socket", "connect", "--adapter", "hci0")).end()
            #expect(called.output.contains("last words"), "\(called)")
            #expect(called.status == 0, "\(called)")
            let listened = await listener.end()
            #expect(listened.status == 0, "\(listened)")
            let opening = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "echo > \"$0\"", gate],
                bus: nil
            )
            await opening.end()
        }
    }

    /// Raw bytes have no end but that of the connection.
    @Test func `stays after the end of its input until the other end leaves, or for a time`()
        async throws
    {
        try await check { world in
            let listener = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci1",
                "--transport",
                "raw",
                "--exec",
                "head -c 3 | tr a-z A-Z"
            )
            let connect = "exec \"$0\" connect --adapter hci0 --transport raw"
            let caller = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "printf abc | \(connect)", Tool.socketPath],
                bus: world.bus.rawValue
            )
            let answered = await caller.end()
            #expect(answered.output == "ABC")
            #expect(answered.status == 0, "\(answered)")
            try await listener.end().requireSuccess()

            let hearer = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci1",
                "--transport",
                "raw"
            )
            let speaker = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "printf abc | \(connect) --linger \(world.seconds(0.5))", Tool.socketPath],
                bus: world.bus.rawValue
            )
            try await speaker.end().requireSuccess()
            let heard = await hearer.end()
            #expect(heard.output == "abc")
            #expect(heard.status == 0, "\(heard)")
        }
    }

    @Test(arguments: [(2, 76), (3, 0), (4, 76)])
    func `counts the bytes that come without a stream`(count: Int, status: Int32) async throws {
        try await check { world in
            let files = try Files(byteCount: 3)
            defer { files.remove() }
            let transfer = try FileTransfer(
                of: files,
                in: world,
                listening: ["--transport", "raw", "--bytes", "\(count)"],
                connecting: ["--transport", "raw"]
            )
            let (sent, received) = await transfer.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == status, "\(received)")
        }
    }

    @Test(arguments: ["raw", "stream"])
    func `says that a file cannot be written`(transport: String) async throws {
        try await check { world in
            let files = try Files(byteCount: 3)
            defer { files.remove() }
            // Where no file may have a byte.
            let listener = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    "trap '' XFSZ; ulimit -f 0; exec \"$0\" listen --adapter hci1 "
                        + "--transport \(transport) --receive '\(files.copy)'",
                    Tool.socketPath,
                ],
                bus: world.bus.rawValue
            )
            let caller = try world.tool(
                "ble-socket",
                "connect",
                "--adapter",
                "hci0",
                "--transport",
                transport,
                "--send",
                files.original
            )
            let received = await listener.end()
            #expect(received.status == 73, "\(received)")
            _ = await caller.end()
        }
    }

    @Test func `says what is wrong, and ends with a status for it`() async throws {
        try await check { world in
            for (arguments, status, words) in [
                (["connect", "--wait", "1"], 68, "no peripheral with the service"),
                (["connect", "--adapter", "hci77"], 69, "hci77"),
                (["connect", "--device-id", "1"], 64, "--transport geotab"),
                (["listen", "--transport", "geotab", "--flags", "65536"], 64, "'65536'"),
                (["go9", "--key", "/dev/null"], 64, "--key"),
                (["connect", "--uuid", "a,b"], 64, "'a,b'"),
                (["listen", "--send", "a", "--receive", "b"], 64, "exclude each other"),
                (["listen", "--bytes", "3"], 64, "--receive"),
                // Before anybody is waited for.
                (["connect", "--send", "/no/file"], 66, "/no/file: No such file"),
                (["listen", "--send", "/dev/zero"], 66, "is not a file"),
                (["listen", "--receive", "/no/file"], 73, "/no/file: No such file"),
                (["connect", "--receive", "/"], 73, "/: Is a directory"),
                (["listen", "--receive", "/dev/null"], 73, "/dev/null is not a file"),
            ] as [([String], Int32, String)] {
                let tool = try Tool("ble-socket", arguments, bus: world.bus.rawValue)
                let outcome = await tool.end()
                #expect(outcome.status == status, "\(arguments): \(outcome)")
                #expect(outcome.errors.contains(words), "\(arguments): \(outcome)")
            }
        }
    }
}

extension Tool {
    /// The file of `ble-socket`.
    static var socketPath: String { folder.appendingPathComponent("ble-socket").path }
}
