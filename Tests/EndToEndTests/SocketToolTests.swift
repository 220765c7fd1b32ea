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

    @Test(arguments: ["stream", "geotab", "raw"])
    func `sends a file`(transport: String) async throws {
        // Raw bytes overtake each other between two bluetoothd 5.66, and nothing tells.
        if transport != "stream", WorldKind.name == "5.66" { return }
        try await check { world in
            let files = try Files(byteCount: Self.byteCount)
            defer { files.remove() }
            let transfer = try FileTransfer(of: files, in: world, ["--transport", transport])
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

    /// Each release of bluetoothd, with MTUs of a phone that asks for none, of an iPhone and of two BlueZ.
    @Test(
        .enabled(if: WorldKind.current == .virtual),
        arguments: ["geotab", "raw", "stream"],
        [BlueZVersion.v5_66, .v5_82, .v5_87]
    )
    func `sends a file with any MTU`(transport: String, version: BlueZVersion) async throws {
        for mtu in [23, 185, 517] {
            let world = try await VirtualWorld(Timing(), version, mtu: mtu)
            let files = try Files(byteCount: 20_000)
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

    @Test(arguments: [true, false])
    func `sends nothing to who does not have its key`(hasKey: Bool) async throws {
        try await check { world in
            let files = try Files(byteCount: 2_000)
            defer { files.remove() }
            // Any file is as good a key as another one.
            let (key, other) = (files.original, hasKey ? files.original : "/bin/sh")
            let transfer = try FileTransfer(
                of: files,
                in: world,
                listening: ["--key", other],
                connecting: ["--key", key]
            )
            let (sent, received) = await transfer.end()
            #expect(sent.status == (hasKey ? 0 : 76), "\(sent)")
            #expect(received.status == (hasKey ? 0 : 76), "\(received)")
            if hasKey { #expect(try files.areEqual) } else { #expect(!files.hasCopy) }
        }
    }

    @Test func `runs a command for the other end`() async throws {
        try await check { world in
            let listener = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci1",
                "--exec",
                "tr a-z A-Z",
                "--json"
            )
            let caller = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "echo Will it rain | exec \"$0\" connect --adapter hci0", Tool.path],
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
                ["-c", "printf abc | \(connect)", Tool.path],
                bus: world.bus.rawValue
            )
            let answered = await caller.end()
            #expect(answered.output == "ABC")
            #expect(answered.status == 0, "\(answered)")
            #expect(await listener.end().status == 0)

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
                ["-c", "printf abc | \(connect) --linger \(world.seconds(0.5))", Tool.path],
                bus: world.bus.rawValue
            )
            #expect(await speaker.end().status == 0)
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
            let listener = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci1",
                "--transport",
                transport,
                "--receive",
                transport == "raw" ? "/dev/full" : "/nowhere/file"
            )
            let files = try Files(byteCount: 3)
            defer { files.remove() }
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

    @Test func `plays a vehicle's device for an add-on`() async throws {
        try await check { world in
            let addOn = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    "echo unlock | exec \"$0\" listen --adapter hci1 --transport geotab --linger 0.1",
                    Tool.path,
                ],
                bus: world.bus.rawValue
            )
            let device = try world.tool("ble-socket", "go9", "--adapter", "hci0", "--json")
            _ = try await device.line(with: "\"message\"")
            #expect(await addOn.end().status == 0)
            let outcome = await device.end()
            #expect(outcome.eventNames.contains("handshake"))
            // The add-on has left.
            #expect(outcome.status == 75, "\(outcome)")
        }
    }

    /// Whoever reads events learns who may connect, how, and each piece of what goes and comes.
    @Test func `tells programs what happens, and what the bytes are`() async throws {
        try await check { world in
            let options = [
                "--adapter", "hci1", "--json", "--transport", "raw", "--service", "180F",
                "--notify",
                "2A19", "--write", "2A1A",
            ]
            let listener = try Tool("ble-socket", ["listen"] + options, bus: world.bus.rawValue)
            _ = try await listener.errorLine(
                with: #""event":"advertising","adapter":"hci1","service":"#
            )
            let caller = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    "printf hello | exec \"$0\" connect --adapter hci0 --transport raw "
                        + "--uuid 180F,2A19,2A1A --linger 1 --json",
                    Tool.path,
                ],
                bus: world.bus.rawValue
            )
            let sent = await caller.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(
                sent.errorEvents.map { $0["event"] as? String } == [
                    "opening", "connected", "sent", "closed",
                ]
            )
            let received = await listener.end()
            #expect(received.status == 0, "\(received)")
            #expect(received.output.contains("hello"))
            #expect(
                received.errorEvents.map { $0["event"] as? String } == [
                    "opening", "advertising", "connected", "received", "closed",
                ]
            )
            let event = try #require(received.errorEvents.first { $0["hex"] != nil })
            #expect(event["hex"] as? String == "68656c6c6f" && event["bytes"] as? Int == 5)
        }
    }

    @Test func `listens no longer than it is told to`() async throws {
        try await check { world in
            let listener = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci1",
                "--timeout",
                "0.2"
            )
            let outcome = await listener.end()
            #expect(outcome.status == 75, "\(outcome)")
            #expect("\(outcome)".contains("nobody connected within"))
        }
    }

    /// What an add-on is to bear ends in its errors, or is passed over.
    @Test(arguments: [
        ("garbage", "malformed"), ("wrong-checksums", "malformed"), ("single-bytes", "vehicle"),
        ("unknown-kinds", "vehicle"), ("refused-messages", "error"),
    ])
    func `plays a GO9 that does something wrong`(fault: String, told: String) async throws {
        try await check("plays a GO9 with \(fault)") { world in
            let addOn = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    "(echo unlock; exec sleep 60) 2>/dev/null | exec \"$0\" listen --adapter hci1 --transport geotab --json",
                    Tool.path,
                ],
                bus: world.bus.rawValue
            )
            let device = try world.tool(
                "ble-socket",
                "go9",
                "--adapter",
                "hci0",
                "--vehicle-data",
                "0.1",
                "--fault",
                fault,
                "--json"
            )
            _ = try await addOn.errorLine(with: "\"event\":\"\(told)\"")
            device.send(SIGTERM)
            _ = await device.end()
            addOn.send(SIGTERM)
            _ = await addOn.end()
        }
    }

    /// As somebody sees it, in the columns that are there.
    @Test(.enabled(if: WorldKind.current == .virtual))
    func `gives a shell a terminal at the other end`() async throws {
        let world = try await VirtualWorld()
        let shell = "env -u ENV PS1=there$ /bin/sh -i"
        let listener = try world.tool(
            "ble-socket",
            "listen",
            "--adapter",
            "hci1",
            "--pty",
            "--exec",
            shell
        )
        let window = try await TerminalWindow(
            ["ble-socket", "connect", "--adapter", "hci0", "--tty"],
            columns: 60,
            rows: 10,
            bus: world.bus.rawValue
        )
        try await window.wait(for: "there$")
        try await window.type("test -t 0 && echo over the air | rev")
        try await window.wait(for: "ria eht revo")
        // Ctrl-C goes there, and ends what runs there.
        try await window.type("sleep 1000")
        try await window.type("", "C-c")
        try await window.type("echo still $((40 + 2))")
        try await window.wait(for: "still 42")
        try await window.type("exit")
        try await window.wait(for: "ended with 0")
        #expect(await listener.end().status == 0)
        try await window.close()
        try await world.end()
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
    fileprivate static var path: String { folder.appendingPathComponent("ble-socket").path }
}

/// A file that goes from `hci0` to `hci1`.
private struct FileTransfer {
    let listener: Tool
    let sender: Tool

    init(of files: Files, in world: any World, _ options: [String] = []) throws {
        try self.init(of: files, in: world, listening: options, connecting: options)
    }

    init(
        of files: Files,
        in world: any World,
        listening: [String],
        connecting: [String]
    ) throws {
        let receive = ["listen", "--adapter", "hci1", "--json", "--receive", files.copy]
        let send = ["connect", "--adapter", "hci0", "--json", "--send", files.original]
        listener = try Tool("ble-socket", receive + listening, bus: world.bus.rawValue)
        sender = try Tool("ble-socket", send + connecting, bus: world.bus.rawValue)
    }

    func end() async -> (sent: Tool.Outcome, received: Tool.Outcome) {
        (await sender.end(), await listener.end())
    }
}

/// A file, and where its copy is to be.
private struct Files {
    private let folder: URL
    private let bytes: Data

    init(byteCount: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "ble-socket-\(UUID().uuidString)"
        )
        bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try bytes.write(to: URL(fileURLWithPath: original))
    }

    var original: String { folder.appendingPathComponent("original").path }
    var copy: String { folder.appendingPathComponent("copy").path }

    var hasCopy: Bool { FileManager.default.fileExists(atPath: copy) }

    var areEqual: Bool {
        get throws { try Data(contentsOf: URL(fileURLWithPath: copy)) == bytes }
    }

    /// How much has come of a file that is not whole.
    var partialByteCount: Int {
        get throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            guard let name = names.first(where: { $0.hasSuffix(".part") }) else { return 0 }
            let path = folder.appendingPathComponent(name).path
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}
