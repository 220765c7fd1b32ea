import NoiseProtocol
import Testing

@testable import BlueChat

@Suite("Who is at the other end")
struct SessionTests {
    /// Two ends, all that travelled between them, and what came of it.
    private struct Talk {
        var caller = CallerSession(id: 7, key: IdentityKey(), name: "Alice")
        var callee: CalleeSession
        var alice: Conversation? = Conversation()
        var bob: Conversation? = Conversation()
        var writes: [[UInt8]] = []
        var values: [[UInt8]] = []
        var received: [ChatMessage] = []
        var assemblies = (MessageAssembly(), MessageAssembly())
        /// Changes a value on its way.
        var change: (inout [UInt8]) -> Void = { _ in }

        init(to key: IdentityKey = IdentityKey()) {
            callee = CalleeSession(id: 7, key: key, name: "Bob")
        }

        mutating func go() throws {
            caller.wasNotified()
            while let operation = try caller.nextOperation(upTo: 182, &alice) {
                switch operation {
                case .write(var bytes):
                    writes.append(bytes)
                    change(&bytes)
                    let value = try #require(SessionValue(bytes))
                    if case .record(let record)? = try callee.receive(value) {
                        for event in try bob?.receive(record, &assemblies.1) ?? [] {
                            if case .received(let message) = event { received.append(message) }
                        }
                    }
                    if callee.hasValue(bob) { caller.wasNotified() }
                case .read:
                    var bytes = try callee.value(upTo: 184, &bob)
                    values.append(bytes)
                    change(&bytes)
                    if case .record(let record)? = try caller.receive(bytes) {
                        for event in try alice?.receive(record, &assemblies.0) ?? [] {
                            if case .received(let message) = event { received.append(message) }
                        }
                    }
                }
            }
        }
    }

    private static let secret = "the answer to everything is secret"

    private static func talk() throws -> Talk {
        var talk = Talk()
        try talk.alice?.send(try ChatMessage(.text(secret), time: 0))
        try talk.bob?.send(try ChatMessage(.text(secret), time: 0))
        try talk.go()
        #expect(talk.received.count == 2)
        return talk
    }

    @Test func `is the only one who can read`() throws {
        let talk = try Self.talk()
        let secret = Array(Self.secret.utf8)
        for bytes in talk.writes + talk.values {
            #expect(!bytes.indices.contains { bytes[$0...].starts(with: secret.prefix(8)) })
        }
    }

    @Test func `is not who repeats what was heard`() throws {
        let talk = try Self.talk()
        var callee = CalleeSession(id: 7, key: IdentityKey(), name: "Bob")
        var nobody: Conversation?
        #expect(throws: ProtocolViolation.self) {
            for bytes in talk.writes {
                var value = try #require(SessionValue(bytes))
                // He reads, too, so that he confirms what there is.
                let waiting = try SessionValue(callee.value(upTo: 184, &nobody))
                value.number = waiting?.number ?? value.number
                if let event = try callee.receive(value) { Issue.record("\(event)") }
            }
        }
        #expect(!callee.isEstablished)
    }

    @Test func `is not who repeats what was heard to the caller`() throws {
        let talk = try Self.talk()
        var caller = CallerSession(id: 7, key: IdentityKey(), name: "Alice")
        var nobody: Conversation?
        _ = try caller.nextOperation(upTo: 182, &nobody)
        #expect(throws: ProtocolViolation.self) {
            for bytes in talk.values {
                if let event = try caller.receive(bytes) { Issue.record("\(event)") }
            }
        }
        #expect(!caller.isEstablished)
    }

    @Test func `is not who takes part in the session with another key`() throws {
        let key = IdentityKey()
        var talk = Talk(to: key)
        talk.caller = CallerSession(id: 7, key: key, name: "Alice")
        #expect(throws: ProtocolViolation.self) { try talk.go() }
    }

    /// One bit of one value, each in turn.
    @Test func `is not who changes what travels`() throws {
        let (writes, values) = try { ($0.writes.count, $0.values.count) }(Self.talk())
        for target in 0..<(writes + values) {
            var talk = Talk()
            try talk.alice?.send(try ChatMessage(.text(Self.secret), time: 0))
            try talk.bob?.send(try ChatMessage(.text(Self.secret), time: 0))
            var count = 0
            var wasChanged = false
            talk.change = { bytes in
                defer { count += 1 }
                guard count == target, bytes.count > SessionValue.headerByteCount else { return }
                bytes[bytes.endIndex - 1] ^= 1
                wasChanged = true
            }
            do {
                try talk.go()
                #expect(!wasChanged, "value \(target)")
            } catch is ProtocolViolation {
                #expect(wasChanged)
            }
            #expect(talk.received.allSatisfy { $0.content == .text(Self.secret) })
        }
    }

    @Test func `may be told nothing at all`() throws {
        var caller = CallerSession(id: 7, key: IdentityKey(), name: "Alice")
        #expect(try caller.receive([]) == nil)
        #expect(throws: ProtocolViolation.self) { try caller.receive([1, 2]) }
        // For another program of this device.
        #expect(try caller.receive([8, 0, 1, 3, 1, 1]) == nil)
        // Out of order.
        #expect(throws: ProtocolViolation.self) { try caller.receive([7, 0, 2, 3, 1, 1]) }
        var callee = CalleeSession(id: 7, key: IdentityKey(), name: "Bob")
        #expect(throws: ProtocolViolation.self) {
            _ = try callee.receive(SessionValue(session: 7, number: 1))
        }
    }

    @Test func `cannot make a message without an end`() {
        var assembly = PacketAssembly()
        #expect(throws: ProtocolViolation.self) {
            for _ in 0..<100 {
                let bytes = [UInt8](repeating: 0, count: 100)
                _ = try assembly.receive(Packet(isLast: false, bytes: bytes))
            }
        }
        #expect(throws: ProtocolViolation.self) {
            _ = try assembly.receive(Packet(isLast: false, bytes: []))
        }
    }
}
