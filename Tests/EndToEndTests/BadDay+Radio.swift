import BLEDBus
import BLEDBusTesting

extension BadDay {
    static let withoutARadio: [BadDay] = [
        BadDay("no bus", 69, "/nonexistent") { _ in
            try await Tool("eightball-ask", ["Who?"], bus: "unix:path=/nonexistent").end()
        },
        BadDay("a bus that hangs", 75, "no reply in time") { _ in
            let bus = try await PrivateBus.start()
            bus.suspend()
            return try await Tool("eightball-ask", ["Who?"], bus: bus.address).end()
        },
        BadDay("no org.bluez", 69, "bluetoothd") { world in
            try await world.stopDaemon()
            return try await world.ask("Who?")
        },
        BadDay("no adapter", 69, "no Bluetooth adapter") { world in
            try await world.unplug()
            return try await world.tool("eightball-ask", "Who?").end()
        },
        BadDay("unknown adapter", 69, "hci9") { world in
            try await world.ask("--adapter", "hci9", "Who?")
        },
        BadDay("adapter off", 69, "hci0") { world in
            try await world.powerOff(0)
            return try await world.ask("Who?")
        },
        BadDay("adapter goes off during the scan", 69, "") { world in
            let asker = try world.asker("--json", "Who?")
            try await asker.line(with: "scanning")
            try await world.powerOff(0)
            return await asker.end()
        },
        BadDay("adapter vanishes during the scan", 69, "") { world in
            let asker = try world.asker("--json", "Who?")
            try await asker.line(with: "scanning")
            try await world.unplug()
            return await asker.end()
        },
        BadDay("bluetoothd dies during the scan", 69, "") { world in
            let asker = try world.asker("--json", "Who?")
            try await asker.line(with: "scanning")
            try await world.killDaemon()
            return await asker.end()
        },
        BadDay("adapter goes off with the question unanswered", 75, "link") { world in
            try await whileAwaitingAnAnswer(world) { try await world.powerOff(0) }
        },
        BadDay("adapter vanishes with the question unanswered", 75, "link") { world in
            try await whileAwaitingAnAnswer(world) { try await world.unplug() }
        },
        BadDay("bluetoothd dies with the question unanswered", 75, "bluetoothd") { world in
            try await whileAwaitingAnAnswer(world) { try await world.killDaemon() }
        },
        BadDay("adapter vanishes before the question is accepted", 75, "link") { world in
            let held = Held()
            let ball = try await ScriptedBall(in: world) { _, call in held.hold(call) }
            defer { withExtendedLifetime(ball) {} }
            let asker = try world.asker("--timeout", world.seconds(30), "Who?")
            await held.first()
            try await world.unplug()
            let outcome = await asker.end()
            // A real one dies of a link that goes while the ball has not replied to the write.
            try await world.replaceDaemon()
            return outcome
        },
    ]

    /// Does something when a ball has accepted a question that it will never answer.
    private static func whileAwaitingAnAnswer(
        _ world: any World,
        _ act: @Sendable () async throws -> Void
    ) async throws -> Tool.Outcome {
        let ball = try await ScriptedBall(in: world) { _, call in call.reply() }
        defer { withExtendedLifetime(ball) {} }
        let asker = try world.asker("--timeout", world.seconds(30), "Who?")
        try await asker.errorLine(with: "thinking")
        try await act()
        return await asker.end()
    }
}
