import BLEDBus

extension BadDay {
    static let withABadText: [BadDay] = [
        BadDay("an empty question", 65, "") { try await $0.ask("") },
        BadDay("a question without '?'", 65, "question") { world in
            let ball = try await world.ball()
            defer { ball.send(9) }
            return try await world.ask("It rains")
        },
        BadDay("a question of 600 bytes", 65, "600") { world in
            try await world.ask(String(repeating: "x", count: 599) + "?")
        },
        BadDay("an answer that is not UTF-8", 76, "UTF-8") { ball, call in
            call.reply()
            ball.notify([0xFF, 0xFE])
        },
        BadDay("an answer of zero bytes", 76, "empty") { ball, call in
            call.reply()
            ball.notify([])
        },
        BadDay("an unknown refusal", 76, "0x9F") { _, call in
            call.fail(ErrorReply(.init(rawValue: "org.bluez.Error.Failed"), "0x9f"))
        },
        BadDay("wrong usage", 64, "Usage") { try await $0.ask("--rssi", "loud", "Who?") },
    ]
}
