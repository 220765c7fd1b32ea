import BLE
import BLEDBus
import BLESocket
import BlueZ
import Foundation
import Testing
import VirtualBlueZ

/// `ble-socket` with a vehicle's device, a shell, and programs that read its events.
@Suite("ble-socket beside files", .timeLimit(.oneCheck))
struct SocketUseTests {
    @Test func `plays a vehicle's device for an add-on`() async throws {
        try await check { world in
            let addOn = try Tool(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c",
                    "echo unlock | exec \"$0\" listen --adapter hci1 --transport geotab --linger 0.1",
                    Tool.socketPath,
                ],
                bus: world.bus.rawValue
            )
            let device = try world.tool("ble-socket", "go9", "--adapter", "hci0", "--json")
            _ = try await device.line(with: "\"message\"")
            try await addOn.end().requireSuccess()
            let outcome = await device.end()
            #expect(
                outcome.eventNames.filter { ["opening", "connected", "handshake"].contains($0) }
                    == ["opening", "connected", "handshake"]
            )
            let connected = outcome.events.first { $0["event"] as? String == "connected" }
            #expect(connected?["transport"] as? String == "geotab")
            #expect(try #require(connected?["mtu"] as? Int) >= 23)
            // The add-on has left.
            #expect(outcome.status == 75, "\(outcome)")
            let why = outcome.events.first { $0["event"] as? String == "closed" }?["why"]
            let error = outcome.events.first { $0["event"] as? String == "error" }?["message"]
            #expect(try #require(why as? String) == error as? String)
        }
    }

    /// Whoever reads events learns who may connect, how, and each piece of what goes and comes.
    @Test func `tells programs what happens, and what the bytes are`() async throws {
        try await check { world in
            let options = [
                "--adapter", "hci1", "--json", "--transport", "raw", "--service", "FFE0",
                "--notify",
                "FFE1", "--write", "FFE2",
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
                        + "--uuid FFE0,FFE1,FFE2 --linger 1 --json",
                    Tool.socketPath,
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

    @Test(arguments: [["listen"], ["speed", "--listen"]])
    func `listens no longer than it is told to`(command: [String]) async throws {
        try await check("\(command) listens no longer than it is told to") { world in
            let options = ["--adapter", "hci1", "--timeout", "0.2"]
            let listener = try Tool("ble-socket", command + options, bus: world.bus.rawValue)
            let outcome = await listener.end()
            #expect(outcome.status == 75, "\(outcome)")
            #expect("\(outcome)".contains("nobody connected within"))
        }
    }

    @Test(arguments: [("--device", "00:AA:01:00:00:42"), ("--bytes", "1000")])
    func `measures with whoever connects, as much as they say`(
        option: String,
        value: String
    ) async throws {
        let arguments = ["speed", "--listen", option, value]
        let outcome = try await Tool("ble-socket", arguments, bus: nil).end()
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("leave \(option) out"), "\(outcome)")
    }

    /// Whoever listens is not disturbed.
    @Test func `looks for a terminal before it looks for whoever listens`() async throws {
        try await check { world in
            let connect = try world.tool("ble-socket", "connect", "--adapter", "hci0", "--tty")
            let outcome = await connect.end()
            #expect(outcome.status == 64, "\(outcome)")
            #expect(outcome.errors.contains("standard input is no terminal"), "\(outcome)")
        }
    }

    /// Standard output is for what comes.
    @Test func `tells programs on standard error, in nothing but JSON`() async throws {
        try await check { world in
            let listener = try world.socketListener("--timeout", "0.2", "--json")
            let outcome = await listener.end()
            #expect(outcome.status == 75, "\(outcome)")
            let lines = outcome.errors.split(separator: "\n")
            #expect(outcome.errorEvents.count == lines.count, "\(outcome)")
            #expect(outcome.errorEvents.last?["code"] as? String == "timedOut", "\(outcome)")
        }
    }

    @Test func `pauses before it listens again, when nobody can`() async throws {
        try await check { world in
            let begin = ContinuousClock.now
            let listener = try world.socketListener(
                "--timeout",
                "1ms",
                "--keep-listening",
                "--exec",
                "true",
                "--json"
            )
            try await listener.line(with: #""code":"timedOut""#)
            // Meanwhile another one listens: time enough for many failures.
            let other = try world.tool(
                "ble-socket",
                "listen",
                "--adapter",
                "hci0",
                "--timeout",
                "300ms"
            )
            #expect(await other.end().status == 75)
            let outcome = await listener.interrupt()
            let pauseCount = outcome.eventNames.count { $0 == "opening" } - 1
            #expect(Duration.seconds(pauseCount) <= begin.duration(to: .now), "\(outcome)")
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
                    Tool.socketPath,
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

    /// From a program that says itself how large its terminal is.
    @Test func `gives a command's terminal the size that the other end says`() async throws {
        try await check { world in
            let command = "while stty size; do sleep 0.1; done"
            let listener = try world.socketListener("--pty", "--exec", command)
            let adapter = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            var configuration = SocketConfiguration.nordicUART
            configuration.transports = [.stream]
            let socket = Socket(connectingOver: adapter, configuration)
            let (events, received) = await (socket.events, socket.received())
            try await socket.open()
            for await case .receivedControl(let message) in events where message == [1] { break }
            // The longest one is none; neither is what is no message.
            for message in [[2, 0xE9, 3, 30, 0], [2, 90], [9], [2, 90, 0, 30, 0]] as [[UInt8]] {
                try await socket.write(control: message)
            }
            var output: [UInt8] = []
            for try await bytes in received {
                output += bytes
                if String(decoding: output, as: UTF8.self).contains("30 90") { break }
            }
            #expect(!String(decoding: output, as: UTF8.self).contains("1001"))
            await socket.close()
            _ = await listener.end()
            await adapter.close()
        }
    }

    /// It has been told all, and that the terminal is left is no loss.
    @Test(.enabled(if: WorldKind.current == .virtual))
    func `leaves a terminal when the other end has said all`() async throws {
        let world = try await VirtualWorld()
        let adapter = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
        var configuration = SocketConfiguration.nordicUART
        configuration.transports = [.stream]
        let socket = Socket(listeningOn: adapter, configuration)
        let events = await socket.events
        let window = try await TerminalWindow(
            ["ble-socket", "connect", "--adapter", "hci0", "--tty"],
            columns: 60,
            rows: 10,
            bus: world.bus.rawValue
        )
        try await socket.open()
        try await socket.send(Array("that is all".utf8))
        try await socket.finish()
        for await case .closed(let error) in events {
            #expect(error == nil)
            break
        }
        try await window.wait(for: "that is all")
        try await window.wait(for: "ended with 0")
        try await window.close()
        await adapter.close()
        try await world.end()
    }

    /// It stays where people see it.
    @Test(.enabled(if: WorldKind.current == .virtual))
    func `says on a terminal what became of a file`() async throws {
        let world = try await VirtualWorld()
        let files = try Files(byteCount: 20_000)
        defer { files.remove() }
        let listener = try world.socketListener("--receive", files.copy)
        let window = try await TerminalWindow(
            ["ble-socket", "connect", "--adapter", "hci0", "--send", files.original],
            columns: 100,
            rows: 10,
            bus: world.bus.rawValue
        )
        let picture = try await window.wait(for: "ended with 0")
        #expect(picture.contains("sent 20000 bytes, "), "\(picture)")
        try await window.close()
        #expect(await listener.end().status == 0)
        try await world.end()
    }

    /// What waits in a shell until its terminal has so many columns, and says so.
    private static func waiting(forColumns columns: Int, then word: String) -> String {
        "until stty size | grep -q ' \(columns)$'; do sleep 0.1; done; echo \(word) $((6 * 7))"
    }

    /// As somebody sees it, in the columns that are there.
    @Test(.enabled(if: WorldKind.current == .virtual))
    func `gives a shell a terminal at the other end`() async throws {
        let world = try await VirtualWorld()
        let shell = "env -u ENV PS1=there$ /bin/sh -i"
        let listener = try world.socketListener("--pty", "--exec", shell)
        let window = try await TerminalWindow(
            ["ble-socket", "connect", "--adapter", "hci0", "--tty"],
            columns: 60,
            rows: 10,
            bus: world.bus.rawValue
        )
        try await window.wait(for: "there$")
        try await window.type("test -t 0 && echo over the air | rev")
        try await window.wait(for: "ria eht revo")
        // The window's size goes there, too.
        try await window.type(Self.waiting(forColumns: 60, then: "small"))
        try await window.wait(for: "small 42")
        try await window.resize(columns: 70, rows: 12)
        try await window.type(Self.waiting(forColumns: 70, then: "large"))
        try await window.wait(for: "large 42")
        // Ctrl-C goes there, and ends what runs there.
        try await window.type("sh -c 'echo be$((6 * 7))gun; exec sleep 1000'")
        try await window.wait(for: "be42gun")
        try await window.type("", "C-c")
        try await window.type("echo still $((40 + 2))")
        try await window.wait(for: "still 42")
        try await window.type("exit")
        try await window.wait(for: "ended with 0")
        try await listener.end().requireSuccess()
        try await window.close()
        try await world.end()
    }
}
