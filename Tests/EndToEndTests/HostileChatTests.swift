import BLE
import BLEDBus
import BlueZ
import Foundation
import Testing
import VirtualBlueZ

/// Centrals that send what no app sends, to `bluechat listen`: nothing is shown that was not said, nothing moves the cursor.
@Suite("A hostile caller", .timeLimit(.oneCheck))
struct HostileChatTests {
    private static func attribute(_ digits: String) throws -> AttributeID {
        let rest = "-95D8-4289-8BF3-504058B0BCB1"
        return AttributeID(
            service: try #require(BluetoothUUID("920D5470\(rest)")),
            characteristic: try #require(BluetoothUUID("920D\(digits)\(rest)"))
        )
    }

    /// A central that has connected to Bob, and done nothing else.
    private struct Caller {
        let adapter: Adapter
        let link: any Link

        init(_ world: any World) async throws {
            adapter = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let service = try HostileChatTests.attribute("5471").service
            let sightings = try await adapter.scan(ScanFilter(service: service))
            var peer: PeerID?
            for try await case .seen(let sighting) in sightings where sighting.name == "Bob" {
                peer = sighting.peer
                break
            }
            link = try await adapter.connect(to: try #require(peer))
            _ = try await link.discoverServices()
        }

        func subscribe() async throws {
            for digits in ["5472", "5473"] {
                try await link.subscribe(to: try HostileChatTests.attribute(digits))
            }
        }

        /// - Returns: with which code it is refused; `nil` when it is taken.
        func write(_ bytes: [UInt8]) async throws -> UInt8? {
            do {
                try await link.write(bytes, to: try HostileChatTests.attribute("5471"))
                return nil
            } catch let error as ATTError {
                return error.rawValue
            }
        }

        func leave() async {
            await link.disconnect()
            await adapter.close()
        }
    }

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
            let caller = try await Caller(world)
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

    /// Neither who has not subscribed, nor who has subscribed to the request to leave alone.
    @Test func `that has not subscribed says nothing`() async throws {
        try await check { world in
            let listener = try await listen(world, "--json")
            let caller = try await Caller(world)
            let refused = try await caller.write(Array("nobody".utf8))
            try await caller.link.subscribe(to: try Self.attribute("5473"))
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
            let caller = try await Caller(world)
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
