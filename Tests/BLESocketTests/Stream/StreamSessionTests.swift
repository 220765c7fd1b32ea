import BLETesting
import Testing

@testable import BLESocket

/// What an end of a stream does when the other one, or the link, does not do what it should.
@Suite("An end of a stream")
struct StreamSessionTests {
    private var central = StreamSession(session: 7, at: .zero)
    private var peripheral = StreamSession(session: nil, at: .zero)

    @Test mutating func `begins with a central's hello, which is repeated until there is a reply`()
    {
        _ = central.handle(.linked, at: .zero)
        _ = peripheral.handle(.linked, at: .zero)
        #expect(peripheral.nextFrame(upTo: 20, at: .zero) == nil)
        let hello = central.nextFrame(upTo: 20, at: .zero)
        #expect(hello?.prefix(3) == [1, 0x10, 7])
        #expect(central.nextFrame(upTo: 20, at: .zero) == nil)
        #expect(central.deadline == .seconds(1))
        #expect(central.names(.time, at: 1) == [])
        #expect(central.nextFrame(upTo: 20, at: .seconds(1)) == hello)
        #expect(central.names(.time, at: 10) == ["drop timedOut"])
        #expect(central.nextFrame(upTo: 20, at: .seconds(10)) == nil)
    }

    @Test mutating func `drops a link on which it hears nothing, and is over without another`() {
        connect()
        #expect(central.deadline == .seconds(10))
        #expect(central.names(.time, at: 10) == [])
        #expect(central.nextKind(at: .seconds(10)) == 4)
        #expect(central.names(.time, at: 20) == [])
        #expect(central.nextKind(at: .seconds(20)) == 4)
        #expect(central.names(.time, at: 30) == ["drop timedOut"])
        #expect(central.deadline == .seconds(90))
        #expect(central.names(.time, at: 90) == ["close lostConnection"])
        #expect(central.deadline == nil)
    }

    /// The other end accepts links, and says nothing.
    @Test(arguments: [(nil, 60), (Duration.seconds(25), 25)])
    mutating func `gives up after links that bring no hello`(limit: Duration?, seconds: Int) {
        var configuration = StreamConfiguration()
        configuration.openLimit = limit
        central = StreamSession(session: 7, configuration: configuration, at: .zero)
        var now = 0
        while now + 10 < seconds {
            _ = central.handle(.linked, at: .seconds(now))
            #expect(central.names(.time, at: now + 10) == ["drop timedOut"])
            #expect(central.deadline == .seconds(seconds))
            now += 10
        }
        // The last one may take its time.
        _ = central.handle(.linked, at: .seconds(seconds - 1))
        #expect(central.names(.time, at: seconds + 8) == [])
        #expect(central.names(.time, at: seconds + 9) == ["drop timedOut"])
        #expect(central.names(.time, at: seconds + 9) == ["close timedOut"])
    }

    @Test mutating func `waits for a hello no longer for links without one`() {
        connect()
        _ = central.handle(.unlinked, at: .seconds(1))
        for now in stride(from: 1, to: 60, by: 10) {
            _ = central.handle(.linked, at: .seconds(now))
            #expect(central.handle(.unlinked, at: .seconds(now + 1)).isEmpty)
            #expect(central.deadline == .seconds(61))
        }
        #expect(central.names(.time, at: 61) == ["close lostConnection"])
    }

    @Test
    mutating func `passes over what belongs to others, where several share the characteristic`() {
        var configuration = StreamConfiguration()
        configuration.isShared = true
        peripheral = StreamSession(session: nil, configuration: configuration, at: .zero)
        connect()
        _ = central.write([1])
        _ = peripheral.write([2])
        #expect(central.nextFrame(upTo: 20, at: .zero) == [0x82, 7, 0, 0, 0, 0, 0, 1])
        let frame = peripheral.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(frame == [0x82, 7, 0, 0, 0, 0, 0, 2])
        let other = StreamLabel(session: 8)
        let reset = StreamFrame.reset(.closed).bytes
        #expect(central.names(.received(other.added(to: reset)), at: 1) == [])
        #expect(peripheral.names(.received(other.added(to: reset)), at: 1) == [])
        let hello = StreamFrame.hello(
            .init(session: 8, received: 0, limit: 0, isKnown: false, isShared: true)
        )
        #expect(central.names(.received(hello.bytes), at: 1) == [])
        #expect(central.names(.received(frame), at: 1) == ["deliver [2]"])
        #expect(!central.isClosed && !peripheral.isClosed)
        // No frame is longer than the link carries.
        _ = central.write([UInt8](repeating: 1, count: 100))
        #expect(central.nextFrame(upTo: 20, at: .seconds(1))?.count ?? 0 <= 20)
    }

    /// All who share the characteristic hear it.
    @Test mutating func `says with its label whom it refuses as it does not encrypt`() {
        var configuration = StreamConfiguration()
        configuration.isShared = true
        configuration.isEncrypted = true
        peripheral = StreamSession(session: nil, configuration: configuration, at: .zero)
        _ = central.handle(.linked, at: .zero)
        _ = peripheral.handle(.linked, at: .zero)
        let hello = central.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(peripheral.names(.received(hello), at: 0) == ["close invalidHandshake"])
        let refusal = peripheral.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(refusal == [0x86, 7, 0, 4])
        #expect(central.names(.received(refusal), at: 0) == ["close invalidHandshake"])
    }

    @Test mutating func `replies to one that asks whether it is there`() {
        connect()
        let question = StreamFrame.acknowledgement(
            .init(received: 0, limit: 100, wantsReply: true)
        )
        #expect(peripheral.names(.received(question.bytes), at: 1) == [])
        #expect(peripheral.nextKind(at: .seconds(1)) == 3)
    }

    /// Whoever waits for the radio would be woken for it again and again.
    @Test mutating func `waits for no time when a confirmation is due`() {
        connect()
        _ = central.write([1])
        let frame = central.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(peripheral.names(.received(frame), at: 0) == ["deliver [1]"])
        #expect(peripheral.deadline == .milliseconds(20))
        _ = peripheral.handle(.time, at: .milliseconds(20))
        #expect(peripheral.deadline == .seconds(10))
        #expect(peripheral.nextKind(at: .milliseconds(20)) == 3)
    }

    @Test mutating func `asks for the window each second while it is full`() {
        connect()
        let window = 16 * 1_024
        var byteCount = 0
        while byteCount < window {
            _ = central.write([UInt8](repeating: 1, count: window + 1))
            let frame = central.nextFrame(upTo: 517, at: .zero) ?? []
            byteCount += frame.count - 5
            let all = StreamFrame.acknowledgement(
                .init(received: UInt32(byteCount), limit: UInt32(window))
            )
            #expect(central.names(.received(all.bytes), at: 1) == ["confirmed \(byteCount)"])
        }
        #expect(byteCount == window)
        #expect(central.deadline == .seconds(2))
        #expect(central.names(.time, at: 2) == [])
        #expect(central.nextKind(at: .seconds(2)) == 4)
        #expect(central.deadline == .seconds(3))
    }

    @Test(
        arguments: [
            [9], [], [2, 0, 0, 1, 0, 1], [5, 0, 0, 1, 0], [3, 1, 0, 0, 0, 0, 0, 0, 0],
            [3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0],
        ] as [[UInt8]]
    )
    mutating func `ends the session for what the other end must not send`(bytes: [UInt8]) {
        connect()
        #expect(central.names(.received(bytes), at: 1) == ["close malformedData"])
        #expect(central.nextFrame(upTo: 20, at: .seconds(1)) == [6, 2])
        #expect(central.nextFrame(upTo: 20, at: .seconds(1)) == nil)
        #expect(peripheral.names(.received([6, 2]), at: 1) == ["close malformedData"])
    }

    @Test mutating func `is told when the other one has forgotten the session`() {
        connect()
        var other = StreamSession(session: nil, at: .zero)
        _ = central.handle(.unlinked, at: .zero)
        _ = central.handle(.linked, at: .zero)
        _ = other.handle(.linked, at: .zero)
        let hello = central.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(other.names(.received(hello), at: 0) == ["close lostConnection"])
        let reset = other.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(reset == [6, 1])
        #expect(central.names(.received(reset), at: 0) == ["close lostConnection"])
    }

    /// They are for another session, whose label may be the same.
    @Test(arguments: [1, 5] as [UInt8])
    mutating func `passes over refusals that do not answer its hello`(reason: UInt8) {
        connect()
        #expect(central.names(.received([6, reason]), at: 1) == [])
        _ = central.handle(.unlinked, at: .seconds(1))
        #expect(central.names(.received([6, reason]), at: 1) == [])
        _ = central.handle(.linked, at: .seconds(1))
        #expect(
            central.names(.received([6, reason]), at: 1)
                == [reason == 5 ? "close busy" : "close lostConnection"]
        )
    }

    @Test mutating func `is over when another session begins`() {
        connect()
        var other = StreamSession(session: 8, at: .zero)
        _ = other.handle(.linked, at: .zero)
        let hello = other.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(peripheral.names(.received(hello), at: 0) == ["close lostConnection"])
    }

    /// Whoever has heard the session's number may say hello while the link is lost, and confirm what never came.
    @Test(arguments: [false, true])
    mutating func `is over when the other end lacks what was confirmed`(hasFinished: Bool) {
        connect()
        #expect(peripheral.write([1, 2]) == 2)
        let data = peripheral.nextFrame(upTo: 20, at: .zero) ?? []
        if hasFinished {
            // All but the end comes.
            #expect(central.names(.received(data), at: 0) == ["deliver [1, 2]"])
            _ = peripheral.handle(.finish, at: .zero)
            #expect(peripheral.nextKind(at: .zero) == 5)
        }
        relink()
        let lie = StreamFrame.hello(
            .init(session: 7, received: hasFinished ? 3 : 2, limit: 100, isKnown: true)
        )
        #expect(peripheral.names(.received(lie.bytes), at: 0) == ["resumed", "confirmed 2"])
        relink()
        let hello = central.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(peripheral.names(.received(hello), at: 0) == ["close malformedData"])
        #expect(peripheral.nextFrame(upTo: 20, at: .zero) == [6, 2])
    }

    /// What was offered holds: a confirmation may be overtaken by a later one.
    @Test mutating func `passes over a window that shrinks`() {
        connect()
        let less = StreamFrame.acknowledgement(.init(received: 0, limit: 1))
        #expect(central.names(.received(less.bytes), at: 0) == [])
        #expect(central.write([1, 2, 3]) == 3)
        #expect(central.nextFrame(upTo: 20, at: .zero) == [2, 0, 0, 0, 0, 1, 2, 3])
    }

    @Test mutating func `can be closed at once, and the other one is told`() {
        connect()
        #expect(central.names(.close, at: 1) == ["close"])
        #expect(central.write([1]) == 0)
        let reset = central.nextFrame(upTo: 20, at: .seconds(1)) ?? []
        #expect(peripheral.names(.received(reset), at: 1) == ["close lostConnection"])
    }

    @Test mutating func `takes no more than its buffer holds, and nothing after the end`() {
        let byteCount = central.writableByteCount
        #expect(central.write([UInt8](repeating: 0, count: byteCount + 1)) == byteCount)
        #expect(central.writableByteCount == 0)
        _ = peripheral.handle(.finish, at: .zero)
        #expect(peripheral.write([1]) == 0)
    }

    /// All from that byte on is kept until it is confirmed.
    @Test mutating func `sends only so much to who confirms all but the first byte`() {
        connect()
        var byteCount = 0
        for _ in 0..<1_000 {
            _ = central.write([UInt8](repeating: 1, count: 8_192))
            while let bytes = central.nextFrame(upTo: 517, at: .zero) {
                guard case .data(let offset, let data) = StreamFrame(bytes) else { continue }
                byteCount = max(byteCount, Int(offset) + data.count)
            }
            let rest = StreamFrame.Piece(offset: 1, byteCount: UInt32(byteCount - 1))
            let lie = StreamFrame.acknowledgement(
                .init(received: 0, limit: UInt32.max >> 1, pieces: [rest])
            )
            #expect(central.names(.received(lie.bytes), at: 0) == [])
        }
        #expect(byteCount == 256 * 1_024)
    }

    /// Whatever comes, it ends at most once, and holds no more than its window.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `survives any frames`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var session = StreamSession(session: seed % 2 == 0 ? 7 : nil, at: .zero)
        var closeCount = 0
        var now = Duration.zero
        _ = session.handle(.linked, at: now)
        for _ in 0..<200 {
            now += .milliseconds(Int.random(in: 0...2_000, using: &random))
            let event: StreamSession.Event =
                switch Int.random(in: 0..<20, using: &random) {
                case 0: .unlinked
                case 1, 2: .linked
                case 3: .consumed(Int.random(in: 0...1_000, using: &random))
                case 4: .finish
                case 5, 6: .time
                default: .received(Self.frame(using: &random))
                }
            _ = session.write([UInt8](repeating: 0, count: Int.random(in: 0...500, using: &random)))
            for case .close in session.handle(event, at: now) { closeCount += 1 }
            while let frame = session.nextFrame(upTo: 100, at: now) {
                #expect(frame.count <= 100)
            }
        }
        #expect(closeCount == (session.isClosed ? 1 : 0))
    }

    /// Mostly one that is possible.
    private static func frame(using random: inout SeededGenerator) -> [UInt8] {
        func number() -> UInt32 {
            [0, 0, 1, 5, 100, 16_384, UInt32.max].randomElement(using: &random) ?? 0
        }
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1:
            return StreamFrame.hello(
                .init(
                    session: 7,
                    received: 0,
                    limit: number(),
                    isKnown: Bool.random(using: &random)
                )
            ).bytes
        case 2...5:
            let count = Int.random(in: 1...95, using: &random)
            return StreamFrame.data(offset: number(), [UInt8](repeating: 1, count: count)).bytes
        case 6...8:
            return StreamFrame.acknowledgement(
                .init(received: number(), limit: number(), wantsReply: Bool.random(using: &random))
            ).bytes
        case 9: return StreamFrame.end(offset: number()).bytes
        case 10: return [6, UInt8.random(in: 0...4, using: &random)]
        default:
            return (0..<Int.random(in: 0...20, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
        }
    }

    private mutating func relink() {
        for event in [StreamSession.Event.unlinked, .linked] {
            _ = central.handle(event, at: .zero)
            _ = peripheral.handle(event, at: .zero)
        }
    }

    private mutating func connect() {
        _ = central.handle(.linked, at: .zero)
        _ = peripheral.handle(.linked, at: .zero)
        let hello = central.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(peripheral.names(.received(hello), at: 0) == ["opened"])
        let reply = peripheral.nextFrame(upTo: 20, at: .zero) ?? []
        #expect(central.names(.received(reply), at: 0) == ["opened"])
    }
}

extension StreamSession {
    /// The first byte of the next frame.
    fileprivate mutating func nextKind(at now: Duration) -> UInt8? {
        nextFrame(upTo: 20, at: now)?.first
    }

    fileprivate mutating func names(_ event: Event, at seconds: Int) -> [String] {
        handle(event, at: .seconds(seconds)).map { action in
            switch action {
            case .opened(let isResumed): isResumed ? "resumed" : "opened"
            case .deliver(let bytes): "deliver \(bytes)"
            case .ended: "ended"
            case .confirmed(let count): "confirmed \(count)"
            case .dropLink(let error): "drop \(error.code)"
            case .close(let error): error.map { "close \($0.code)" } ?? "close"
            }
        }
    }
}
