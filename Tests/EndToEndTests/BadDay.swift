import DBus
import DBusTesting
import VirtualBlueZ

/// Something that goes wrong for `eightball-ask`, and how it has to end.
struct BadDay: Sendable, CustomStringConvertible {
    let description: String
    let status: Int32
    /// What the line on standard error has to say.
    let message: String
    let run: @Sendable () async throws -> Tool.Outcome

    init(
        _ description: String,
        _ status: Int32,
        _ message: String,
        _ run: @escaping @Sendable () async throws -> Tool.Outcome
    ) {
        self.description = description
        self.status = status
        self.message = message
        self.run = run
    }

    /// Asks a ball that behaves so, once it has the question.
    private static func asked(
        _ behaviour: @escaping ScriptedBall.Behaviour
    ) async throws -> Tool.Outcome {
        let world = try await World(Timing(disconnecting: .milliseconds(20)))
        let ball = try await ScriptedBall(in: world, behaviour)
        defer { withExtendedLifetime(ball) {} }
        return try await world.ask("--timeout", "1", "Will it rain?")
    }

    private static func ask(
        _ question: String,
        in world: World
    ) async throws -> Tool.Outcome {
        try await world.ask(question)
    }

    static let withoutARadio: [BadDay] = [
        BadDay("no bus", 69, "/nonexistent") {
            try await Tool("eightball-ask", ["Who?"], bus: "unix:path=/nonexistent").end()
        },
        BadDay("a bus that hangs", 75, "no reply in time") {
            let bus = try PrivateBus()
            bus.suspend()
            return try await Tool("eightball-ask", ["Who?"], bus: bus.address).end()
        },
        BadDay("no org.bluez", 69, "bluetoothd") {
            let bus = try PrivateBus()
            return try await Tool("eightball-ask", ["Who?"], bus: bus.address).end()
        },
        BadDay("no adapter", 69, "no Bluetooth adapter") {
            let world = try await World()
            await world.daemon.simulateUnplugging(of: 0)
            await world.daemon.simulateUnplugging(of: 1)
            return try await world.tool("eightball-ask", "Who?").end()
        },
        BadDay("unknown adapter", 69, "hci9") {
            let world = try await World()
            return try await world.tool("eightball-ask", "--adapter", "hci9", "Who?").end()
        },
        BadDay("adapter off", 69, "hci0") {
            let world = try await World()
            await world.daemon.simulatePowerOff(of: 0)
            return try await ask("Who?", in: world)
        },
        BadDay("adapter goes off during the scan", 69, "") {
            let world = try await World()
            let asker = try world.tool("eightball-ask", "--adapter", "hci0", "--json", "Who?")
            try await asker.line(with: "scanning")
            await world.daemon.simulatePowerOff(of: 0)
            return await asker.end()
        },
        BadDay("bluetoothd dies during the scan", 69, "") {
            let world = try await World()
            let asker = try world.tool("eightball-ask", "--adapter", "hci0", "--json", "Who?")
            try await asker.line(with: "scanning")
            await world.daemon.kill()
            return await asker.end()
        },
    ]

    static let withoutABall: [BadDay] = [
        BadDay("nobody advertises", 68, "no ball") {
            try await World().ask("--scan-for", "0.3", "Who?")
        },
        BadDay("nobody of that name", 68, "no ball") {
            let world = try await World()
            let ball = try await world.ball("--name", "Ours")
            defer { ball.send(9) }
            return try await world.ask("--scan-for", "0.6", "--name", "Theirs", "Who?")
        },
        BadDay("a ball out of the RSSI window", 68, "no ball") {
            let world = try await World()
            let ball = try await world.ball()
            defer { ball.send(9) }
            return try await world.ask("--scan-for", "0.6", "--rssi", "-40..-20", "Who?")
        },
        BadDay("ball gone before the connection", 75, "connect") {
            let world = try await World(
                Timing(connecting: .seconds(30), connectLimit: .milliseconds(300))
            )
            let ball = try await world.ball()
            defer { ball.send(9) }
            return try await ask("Who?", in: world)
        },
        BadDay("ball gone between connection and question", 75, "link") {
            let world = try await World(Timing(resolving: .seconds(30)))
            let ball = try await world.ball()
            defer { ball.send(9) }
            let observer = try await world.observer()
            let asker = try world.tool("eightball-ask", "--adapter", "hci0", "Who?")
            try await asker.errorLine(with: "heard")
            let device: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"
            try await observer.wait(for: "Connected", of: "Device1", at: device) {
                $0?.bool == true
            }
            await world.daemon.simulateDisconnection(between: 0, and: 1)
            return await asker.end()
        },
        BadDay("ball gone with the question unanswered", 75, "took back its service") {
            try await asked { ball, call in
                call.reply()
                ball.die()
            }
        },
        BadDay("ball gone before it has accepted the question", 75, "") {
            try await asked { ball, _ in ball.die() }
        },
        BadDay("a link that is cut with the question unanswered", 75, "link") {
            let world = try await World()
            let ball = try await ScriptedBall(in: world) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            let asker = try world.tool(
                "eightball-ask",
                "--adapter",
                "hci0",
                "--timeout",
                "30",
                "Who?"
            )
            try await asker.errorLine(with: "thinking")
            await world.daemon.simulateDisconnection(between: 0, and: 1)
            return await asker.end()
        },
        BadDay("a ball that never answers", 75, "took longer than") {
            try await asked { _, call in call.reply() }
        },
        BadDay("a ball that never accepts", 75, "took longer than") {
            let world = try await World()
            let held = Held()
            let ball = try await ScriptedBall(in: world) { _, call in held.hold(call) }
            defer { withExtendedLifetime((ball, held)) {} }
            return try await world.ask("--timeout", "0.5", "Who?")
        },
        BadDay("a ball that is busy", 75, "busy") {
            try await asked { _, call in
                call.fail(ErrorReply(.init(rawValue: "org.bluez.Error.Failed"), "0x90"))
            }
        },
    ]

    static let withABadText: [BadDay] = [
        BadDay("an empty question", 65, "") { try await World().ask("") },
        BadDay("a question without '?'", 65, "question") {
            let world = try await World()
            let ball = try await world.ball()
            defer { ball.send(9) }
            return try await ask("It rains", in: world)
        },
        BadDay("a question of 600 bytes", 65, "600") {
            try await World().ask(String(repeating: "x", count: 599) + "?")
        },
        BadDay("an answer that is not UTF-8", 76, "UTF-8") {
            try await asked { ball, call in
                call.reply()
                ball.notify([0xFF, 0xFE])
            }
        },
        BadDay("an answer of zero bytes", 76, "empty") {
            try await asked { ball, call in
                call.reply()
                ball.notify([])
            }
        },
        BadDay("an unknown refusal", 76, "0x9F") {
            try await asked { _, call in
                call.fail(ErrorReply(.init(rawValue: "org.bluez.Error.Failed"), "0x9f"))
            }
        },
        BadDay("wrong usage", 64, "Usage") { try await World().ask("--rssi", "loud", "Who?") },
    ]
}
