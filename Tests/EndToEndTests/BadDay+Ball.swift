import BLEDBus
import VirtualBlueZ

extension BadDay {
    static let withoutABall: [BadDay] = [
        BadDay("nobody advertises", 68, "no matching ball found within") { world in
            try await world.ask("--scan-for", world.seconds(0.3), "Who?")
        },
        BadDay("nobody of that name", 68, "no matching ball found within") { world in
            let ball = try await world.ball("--name", "Ours")
            defer { ball.send(9) }
            let scan = world.seconds(0.6)
            return try await world.ask("--scan-for", scan, "--name", "Theirs", "Who?")
        },
        BadDay("a ball out of the RSSI window", 68, "no matching ball found within") { world in
            let ball = try await world.ball()
            defer { ball.send(9) }
            let scan = world.seconds(0.6)
            return try await world.ask("--scan-for", scan, "--rssi", "-40..-20", "Who?")
        },
        BadDay(
            "ball gone before the connection",
            75,
            "connecting to",
            Timing(connecting: .seconds(30), connectLimit: .milliseconds(300))
        ) { world in
            let ball = try await ScriptedBall(in: world, isShy: true) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            return try await world.ask("Who?")
        },
        BadDay(
            "ball gone between connection and question",
            75,
            "link",
            Timing(resolving: .seconds(30))
        ) { world in
            let ball = try await ScriptedBall(in: world, ballast: 200) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            let observer = try await world.observer()
            let asker = try world.asker("Who?")
            try await asker.errorLine(with: "found")
            let device = try world.device(1)
            try await observer.wait(for: "Connected", of: "Device1", at: device) {
                $0?.bool == true
            }
            try await world.powerOff(1)
            return await asker.end()
        },
        BadDay("ball gone with the question unanswered", 75, "withdrew its service") {
            ball,
            call in
            call.reply()
            ball.die()
        },
        BadDay("ball gone before it has accepted the question", 75, "") { ball, _ in
            ball.die()
        },
        BadDay("a link that is ended with the question unanswered", 75, "link") { world in
            let ball = try await ScriptedBall(in: world) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            let asker = try world.asker("--timeout", world.seconds(30), "Who?")
            try await asker.errorLine(with: "thinking")
            try await world.endLink(from: 1, to: 0)
            return await asker.end()
        },
        BadDay("a ball that never answers", 75, "took longer than", timeout: 1) { _, call in
            call.reply()
        },
        BadDay("a ball that never accepts", 75, "took longer than") { world in
            let held = Held()
            let ball = try await ScriptedBall(in: world) { _, call in held.hold(call) }
            defer { withExtendedLifetime(ball) {} }
            let outcome = try await world.ask("--timeout", "0.5", "Who?")
            held.letGo()
            return outcome
        },
        BadDay("a ball that is busy", 75, "busy", timeout: 3) { _, call in
            call.fail(ErrorReply(.init(rawValue: "org.bluez.Error.Failed"), "0x90"))
        },
    ]
}
