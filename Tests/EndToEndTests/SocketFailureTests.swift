import BLE
import BLEDBus
import BLESocket
import BlueZ
import Foundation
import Testing
import VirtualBlueZ

/// `ble-socket` with another end, a radio, a file or a command that does not do what it should.
@Suite("ble-socket, when something fails", .timeLimit(.oneCheck))
struct SocketFailureTests {
    enum Loss: CaseIterable { case power, daemon }

    /// bluetoothd ends the links of an adapter before it says that it is off.
    @Test(
        .enabled(if: WorldKind.current == .virtual),
        arguments: Loss.allCases,
        ["listen", "connect"]
    )
    func `does not take the end of its own radio for that of a file`(
        loss: Loss,
        receiver: String
    ) async throws {
        let world = try await VirtualWorld()
        let files = try Files(byteCount: 3)
        defer { files.remove() }
        let isListening = receiver == "listen"
        let receiving = try world.tool(
            "ble-socket",
            receiver,
            "--adapter",
            isListening ? "hci1" : "hci0",
            "--transport",
            "raw",
            "--json",
            "--receive",
            files.copy
        )
        let other = try world.tool(
            "ble-socket",
            isListening ? "connect" : "listen",
            "--adapter",
            isListening ? "hci0" : "hci1",
            "--transport",
            "raw"
        )
        try await receiving.line(with: #""event":"connected""#)
        switch loss {
        case .power: await world.powerOff(isListening ? 1 : 0)
        case .daemon: try await world.stopDaemon()
        }
        let received = await receiving.end()
        #expect(received.status == 69, "\(received)")
        #expect(received.errors.contains("Bluetooth"), "\(received)")
        _ = await other.end()
        try await world.end()
    }

    /// A socket that listens, and says nothing.
    @Test(arguments: ["connect", "go9"])
    func `waits no longer for the handshake of an add-on than it is told to`(
        command: String
    ) async throws {
        try await check { world in
            let silent = [
                "listen", "--adapter", "hci1", "--transport", "raw", "--preset", "keyless",
            ]
            let listener = try Tool("ble-socket", silent + ["--json"], bus: world.bus.rawValue)
            _ = try await listener.errorLine(with: #""event":"advertising""#)
            let caller = try world.tool(
                "ble-socket",
                command,
                "--adapter",
                "hci0",
                "--transport",
                "geotab",
                "--timeout",
                world.seconds(5)
            )
            let called = await caller.end()
            #expect(called.status == 75, "\(called)")
            #expect(called.errors.contains("no add-on has shaken hands"), "\(called)")
            try await listener.end().requireSuccess()
        }
    }

    /// Of three frames one has a wrong checksum.
    @Test func `does not take messages of which one could not be read for a file`() async throws {
        try await check { world in
            let files = try Files(byteCount: 3)
            defer { files.remove() }
            let addOn = try world.socketListener(
                "--transport",
                "geotab",
                "--json",
                "--receive",
                files.copy
            )
            let device = try world.tool(
                "ble-socket",
                "go9",
                "--adapter",
                "hci0",
                "--vehicle-data",
                "0.1",
                "--fault",
                "wrong-checksums"
            )
            try await addOn.line(with: #""event":"malformed""#)
            device.send(SIGTERM)
            _ = await device.end()
            let received = await addOn.end()
            #expect(received.status == 76, "\(received)")
            #expect("\(received)".contains("may lack something"), "\(received)")
        }
    }

    /// An offer of so many bytes that no file has them.
    private static let impossibleOffer =
        [0x42, 0x53, 0x46, 0x01] + [UInt8](repeating: 0xFF, count: 8)
        + [UInt8](repeating: 0, count: 32)

    /// Opens a stream to who listens, and uses it.
    private func withStream(
        in world: any World,
        _ use: (Socket) async throws -> Void
    ) async throws {
        let adapter = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
        var configuration = SocketConfiguration.nordicUART
        configuration.transports = [.stream]
        let socket = Socket(connectingOver: adapter, configuration)
        try await socket.open()
        try await use(socket)
        await socket.close()
        await adapter.close()
    }

    @Test func `refuses a file that nobody can have`() async throws {
        try await check { world in
            let files = try Files(byteCount: 3)
            defer { files.remove() }
            let listener = try world.socketListener("--receive", files.copy)
            try await withStream(in: world) { socket in
                try await socket.write(Self.impossibleOffer)
                let received = await listener.end()
                #expect(received.status == 76, "\(received)")
                #expect(received.errors.contains("which no file has"), "\(received)")
            }
        }
    }

    @Test func `listens on after somebody who sends no file`() async throws {
        try await check { world in
            let files = try Files(byteCount: 3)
            defer { files.remove() }
            let listener = try world.socketListener(
                "--json",
                "--keep-listening",
                "--receive",
                files.copy
            )
            try await withStream(in: world) { socket in
                try await socket.write([UInt8](repeating: 1, count: 44))
                try await listener.line(with: #""code":"noSender""#)
            }
            let sender = try world.tool(
                "ble-socket",
                "connect",
                "--adapter",
                "hci0",
                "--send",
                files.original
            )
            let sent = await sender.end()
            #expect(sent.status == 0, "\(sent)")
            try await listener.line(with: #""event":"received""#)
            #expect(try files.areEqual)
            let listened = await listener.interrupt()
            #expect(listened.status == 130, "\(listened)")
        }
    }

    @Test func `tells how far it is of any number of bytes`() async throws {
        try await check { world in
            let listener = try world.tool("ble-socket", "speed", "--listen", "--adapter", "hci1")
            let caller = try world.tool(
                "ble-socket",
                "speed",
                "--adapter",
                "hci0",
                "--json",
                "--bytes",
                "\(UInt64.max)"
            )
            try await caller.line(with: #""event":"progress""#)
            let called = await caller.interrupt()
            #expect(called.status == 130, "\(called)")
            _ = await listener.interrupt()
        }
    }

    /// The other end is told that all is well once the file has its name.
    @Test func `keeps what has come where it gets no name, and takes no more than was offered`()
        async throws
    {
        try await check { world in
            let files = try Files(byteCount: 3_000)
            defer { files.remove() }
            let send = ["connect", "--adapter", "hci0", "--send", files.original]
            let listener = try world.socketListener("--json", "--receive", files.copy)
            try await listener.line(with: "advertising")
            let manager = FileManager.default
            try manager.createDirectory(atPath: files.copy, withIntermediateDirectories: false)
            let sent = try await Tool("ble-socket", send, bus: world.bus.rawValue).end()
            #expect(sent.status == 75, "\(sent)")
            let received = await listener.end()
            #expect(received.status == 73, "\(received)")
            #expect(try files.partialByteCount == 3_000)

            let partial = try #require(try files.partialPath)
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: partial))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("something else".utf8))
            try handle.close()
            try manager.removeItem(atPath: files.copy)
            let transfer = try FileTransfer(of: files, in: world)
            let (sentAgain, receivedAgain) = await transfer.end()
            #expect(sentAgain.status == 0, "\(sentAgain)")
            #expect(receivedAgain.status == 0, "\(receivedAgain)")
            #expect(try files.areEqual)
        }
    }

    @Test func `receives into no pipe, and keeps the permissions of a file that it replaces`()
        async throws
    {
        try await check { world in
            let files = try Files(byteCount: 3)
            defer { files.remove() }
            let pipe = files.path(of: "pipe")
            guard mkfifo(pipe, 0o600) == 0 else { throw POSIXError(.EIO) }
            let refusing = try world.socketListener("--receive", pipe)
            let refused = await refusing.end()
            #expect(refused.status == 73, "\(refused)")
            #expect(refused.errors.contains("is not a file"), "\(refused)")

            let manager = FileManager.default
            #expect(manager.createFile(atPath: files.copy, contents: nil))
            try manager.setAttributes([.posixPermissions: 0o440], ofItemAtPath: files.copy)
            let transfer = try FileTransfer(of: files, in: world)
            let (sent, received) = await transfer.end()
            #expect(sent.status == 0, "\(sent)")
            #expect(received.status == 0, "\(received)")
            #expect(try files.areEqual)
            let attributes = try manager.attributesOfItem(atPath: files.copy)
            #expect(attributes[.posixPermissions] as? Int == 0o440)
        }
    }

    @Test func `goes on for a command that reads no more`() async throws {
        try await check { world in
            let files = try Files(byteCount: 300_000)
            defer { files.remove() }
            let gate = files.path(of: "gate")
            guard mkfifo(gate, 0o600) == 0 else { throw POSIXError(.EIO) }
            let command = "read line; exec 0</dev/null; echo $line; exec cat '\(gate)'"
            let listener = try world.socketListener("--exec", command)
            let words = "(echo one; cat '\(files.original)')"
            let caller = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c", "\(words) | exec \"$0\" connect --adapter hci0 --json",
                    Tool.socketPath,
                ],
                bus: world.bus.rawValue
            )
            // All that there is to send has been.
            try await caller.line(with: "one")
            let opening = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                ["-c", "echo two > \"$0\"", gate],
                bus: nil
            )
            await opening.end()
            let called = await caller.end()
            #expect(called.output.hasPrefix("one\ntwo\n"), "\(called)")
            let listened = await listener.end()
            #expect(listened.status == 0, "\(listened)")
        }
    }

    @Test func `says that what comes cannot be written`() async throws {
        try await check { world in
            for end in ["> /dev/full", "| true"] {
                let listener = try world.socketListener("--exec", "yes")
                let caller = try Tool(
                    URL(fileURLWithPath: "/bin/sh"),
                    [
                        "-c", "{ \"$0\" connect --adapter hci0; echo status $? >&2; } \(end)",
                        Tool.socketPath,
                    ],
                    bus: world.bus.rawValue
                )
                let called = await caller.end()
                #expect(called.errors.contains("status 73"), "\(end): \(called)")
                #expect(called.errors.contains("standard output"), "\(end): \(called)")
                _ = await listener.end()
            }
        }
    }

    /// What comes is over before the connection is; what the command has not read yet is not lost with that.
    @Test
    func `ends a command when the other end leaves that has nothing more to send, in a while`()
        async throws
    {
        try await check { world in
            let files = try Files(byteCount: 30_000)
            defer { files.remove() }
            let part = files.path(of: "part")
            let command = "cat > '\(part)'; mv '\(part)' '\(files.copy)'; exec sleep 1000"
            let listener = try world.socketListener("--exec", command)
            let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: files.original)))
            try await withStream(in: world) { socket in
                try await socket.write(bytes)
                try await socket.finish()
            }
            let listened = await listener.end()
            #expect(listened.status == 75, "\(listened)")
            #expect(try files.areEqual)
        }
    }

    @Test(arguments: [[], ["--pty"]] as [[String]])
    func `ends a command that does not want to, when the other end leaves`(
        options: [String]
    ) async throws {
        try await check("ends a stubborn command \(options)") { world in
            let command = "trap '' HUP; read line; echo $((6 * 7)); while :; do sleep 1; done"
            let listener = try Tool(
                "ble-socket",
                ["listen", "--adapter", "hci1", "--exec", command] + options,
                bus: world.bus.rawValue
            )
            try await withStream(in: world) { socket in
                let received = await socket.received()
                try await socket.write(Array("go on\n".utf8))
                var output: [UInt8] = []
                for try await bytes in received {
                    output += bytes
                    // It does not mind any more.
                    if String(decoding: output, as: UTF8.self).contains("42") { break }
                }
            }
            let listened = await listener.end()
            #expect(listened.status == 75, "\(listened)")
        }
    }

    /// What nobody reads fills its terminal.
    @Test func `ends a shell whose program does not read, when the other end leaves`() async throws
    {
        try await check { world in
            let listener = try world.socketListener("--pty", "--exec", "exec sleep 1000")
            try await withStream(in: world) { socket in
                // More than a terminal holds, and no more than waits beside that.
                try await socket.send((0..<24_000).map { $0 % 2 == 0 ? 0x78 : 0x0A })
            }
            let listened = await listener.end()
            #expect(listened.status == 75, "\(listened)")
        }
    }
}
