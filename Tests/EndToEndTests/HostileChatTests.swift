import BLE
import BLEDBus
import BlueZ
import Foundation
import Testing

/// Centrals that send what no app sends, to `bluechat listen`: nothing is shown that was not said, nothing moves the cursor.
@Suite("A hostile caller", .timeLimit(.oneCheck))
struct HostileChatTests {
    private func listen(_ world: any World, _ options: String...) async throws -> Tool {
        let words = ["listen", "--adapter", "hci1", "--name", "Bob"] + options
        let listener = try Tool("bluechat", words, bus: world.bus.rawValue)
        if options.isEmpty {
            try await listener.errorLine(with: "listening")
        } else {
            _ = try await listener.line(with: "ready")
        }
        return listener
    }

    @Test func `is printed harmlessly`() async throws {
        try await check { world in
            let listener = try await listen(world)
            let caller = try await RawCaller(world)
            try await caller.subscribe()
            for text in ["\u{1B}[2J\u{7}\r\nBob: said nothing", "\u{202E}txet", "\u{9B}1A"] {
                #expect(try await caller.write(Array(text.utf8)) == nil)
            }
            #expect(try await caller.write(Array("the end".utf8)) == nil)
            _ = try await listener.line(with: "the end")
            await caller.leave()
            listener.send(SIGTERM)
            let outcome = await listener.end()
            #expect(outcome.lines.count == 4, "\(outcome)")
            #expect(outcome.lines.allSatisfy { $0.hasPrefix("(unknown): ") }, "\(outcome)")
            let isHarmless = outcome.output.unicodeScalars.allSatisfy { scalar in
                scalar == "\n" || scalar.properties.generalCategory != .control
            }
            #expect(isHarmless && !outcome.output.contains("\u{202E}"))
        }
    }

    /// Whoever advertises says any name.
    @Test func `is listed harmlessly`() async throws {
        try await check { world in
            let adapter = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let advertising = try await adapter.advertise(
                Advertisement(
                    localName: "\u{1B}[2J\u{7}\rBob",
                    serviceUUIDs: [try RawCaller.attribute("5471").service]
                )
            )
            let words = ["who", "--adapter", "hci1", "--wait", world.seconds(4)]
            let outcome = await (try Tool("bluechat", words, bus: world.bus.rawValue)).end()
            await advertising.stop()
            await adapter.close()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.lines.count == 1 && outcome.output.contains("Bob"), "\(outcome)")
            #expect(
                outcome.output.unicodeScalars.allSatisfy { scalar in
                    scalar == "\n" || scalar.properties.generalCategory != .control
                }
            )
        }
    }

    /// Neither who has not subscribed, nor who has subscribed to the request to leave alone.
    @Test func `that has not subscribed says nothing`() async throws {
        try await check { world in
            let listener = try await listen(world, "--json")
            let caller = try await RawCaller(world)
            let refused = try await caller.write(Array("nobody".utf8))
            try await caller.link.subscribe(to: try RawCaller.attribute("5473"))
            let refusedAgain = try await caller.write(Array("nobody".utf8))
            // bluetoothd 5.66 makes 0x0E of what it does not know.
            #expect([0x91, 0x0E].contains(refused) && refused == refusedAgain)
            await caller.leave()
            listener.send(SIGTERM)
            let outcome = await listener.end()
            #expect(outcome.eventNames == ["ready"], "\(outcome)")
        }
    }

    /// What is no text is told, and each of a flood is shown once, in order.
    @Test func `that sends anything is heard, and the chat goes on`() async throws {
        try await check { world in
            let listener = try await listen(world, "--json")
            let caller = try await RawCaller(world)
            try await caller.subscribe()
            let invalid: [[UInt8]] = [
                [0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF0, 0x9F, 0x91],
            ]
            for bytes in invalid {
                let code = try await caller.write(bytes)
                #expect([0x92, 0x0E].contains(code), "\(bytes)")
            }
            #expect(try await caller.write([]) == nil)
            // As many bytes as each bluetoothd takes of a write.
            let longest = String(repeating: "x", count: 508)
            #expect(try await caller.write(Array(longest.utf8)) == nil)
            let count = 200
            for number in 0..<count {
                #expect(try await caller.write(Array("text \(number)".utf8)) == nil)
            }
            _ = try await listener.line(with: "text \(count - 1)\"")
            await caller.leave()
            _ = try await listener.line(with: "\"ended\"")
            listener.send(SIGTERM)
            let events = await listener.end().events
            let texts = events.filter { $0["event"] as? String == "text" }.map {
                $0["text"] as? String
            }
            #expect(texts == [longest] + (0..<count).map { "text \($0)" })
            let codes = events.filter { $0["event"] as? String == "malformed" }.map {
                $0["code"] as? String
            }
            #expect(codes == invalid.map { _ in "invalidText" } + ["empty"])
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 17), String(repeating: "x", count: 300)])
    func `cannot be named so`(name: String) async throws {
        let outcome = await (try Tool("bluechat", ["listen", "--name", name], bus: nil)).end()
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("16"), "\(outcome)")
    }
}
