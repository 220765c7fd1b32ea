import BLELocking
@testable import BLETerminal
import Glibc
import Testing

@Suite("A session", .timeLimit(.minutes(10)))
struct TerminalSessionTests {
    private func session<Output>(
        _ terminal: PseudoTerminal,
        pasteLimitBytes: Int = 65_536,
        _ body: (TerminalSession) async throws -> Output
    ) async throws -> Output {
        let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        let session = try TerminalSession(
            of: descriptor,
            features: TerminalFeatures(),
            catchesSignals: false,
            pasteLimitBytes: pasteLimitBytes
        )
        return try await session.use(body)
    }

    /// Lets others run until something is so, or the test's time is over.
    private func until(_ isSo: () -> Bool) async throws {
        while !isSo() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `reports keys and pastes, after the size`() async throws {
        let terminal = try PseudoTerminal()
        try await session(terminal, pasteLimitBytes: 4) { session in
            var events = session.events.makeAsyncIterator()
            #expect(await events.next() == .resized(Size(columns: 40, rows: 6)))
            #expect(session.size == Size(columns: 40, rows: 6))
            terminal.type("a\u{1B}[1;5D\u{1B}[200~Hello\u{1B}[201~")
            #expect(await events.next() == .input(.key(Key("a"))))
            #expect(await events.next() == .input(.key(Key(.left, .control))))
            #expect(await events.next() == .input(.paste(Paste("Hell", isCut: true))))
            terminal.type("\u{1B}")
            #expect(await events.next() == .input(.key(Key(.escape))))
            terminal.type("\u{3}\u{1A}")
            #expect(await events.next() == .input(.key(Key("c", .control))))
            #expect(await events.next() == .input(.key(Key("z", .control))))
        }
    }

    @Test func `restores the terminal`() async throws {
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        try await session(terminal) { _ in
            try await terminal.wait(for: "\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?25l")
            #expect(terminal.settings != settings)
        }
        #expect(terminal.settings == settings)
        try await terminal.wait(for: "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l")
    }

    @Test func `restores the terminal when the program throws`() async throws {
        struct Failure: Error {}
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        await #expect(throws: Failure.self) { try await session(terminal) { _ in throw Failure() } }
        #expect(terminal.settings == settings)
    }

    @Test func `takes no output in the background, where nobody sees it`() throws {
        var state = SessionState(size: Size(columns: 4, rows: 1))
        let isTakenUnseen = try state.accept { _ in [1] }
        state.isShown = true
        let isTaken = try state.accept { _ in [1] }
        #expect(!isTakenUnseen && isTaken)
        #expect(state.output == [1])
    }

    @Test func `draws what has changed`() async throws {
        let terminal = try PseudoTerminal()
        try await session(terminal) { session in
            var screen = Screen(session.size)
            screen.write("Hello", at: Position(row: 0, column: 0))
            try await session.draw(screen)
            try await terminal.wait(for: "\u{1B}[2JHello")
            screen.write("p", at: Position(row: 0, column: 3))
            try await session.draw(screen)
            try await session.ringBell()
            #expect(try await terminal.wait(for: "\u{7}").hasSuffix("\u{1B}[;4Hp\u{7}"))
        }
    }

    @Test func `waits for a slow terminal, and can be cancelled`() async throws {
        let terminal = try PseudoTerminal(columns: 200, rows: 100)
        try await session(terminal) { session in
            let drawing = Task {
                // Nobody reads: a terminal takes some of these, never all.
                for number in 0... {
                    var screen = Screen(session.size)
                    let text = String(repeating: number % 2 == 0 ? "a" : "b", count: 200)
                    for row in 0..<100 { screen.write(text, at: Position(row: row, column: 0)) }
                    try await session.draw(screen)
                    if number == 100 { return }
                }
            }
            try await until { session.state.withLock { !$0.writers.isEmpty } }
            #expect(session.state.withLock { $0.output.count } <= 25_000)
            drawing.cancel()
            await #expect(throws: CancellationError.self) { try await drawing.value }
        }
    }

    @Test func `goes on drawing when a slow terminal reads`() async throws {
        let terminal = try PseudoTerminal(columns: 200, rows: 100)
        try await session(terminal) { session in
            let drawing = Task {
                for number in 0..<20 {
                    var screen = Screen(session.size)
                    let text = String(repeating: number % 2 == 0 ? "a" : "b", count: 200)
                    for row in 0..<100 { screen.write(text, at: Position(row: row, column: 0)) }
                    try await session.draw(screen)
                }
                try await session.ringBell()
            }
            var simulated = SimulatedTerminal(session.size)
            var bytes: [UInt8] = []
            while bytes.last != 7 {
                let more = try #require(await terminal.read(65_536))
                try #require(!more.isEmpty)
                bytes += more
            }
            try await drawing.value
            let begin = String(decoding: bytes.dropLast(), as: UTF8.self).split(
                separator: "\u{1B}[2J"
            )
            simulated.receive(Array(begin[begin.count - 1].utf8))
            #expect(simulated.cells.allSatisfy { $0.allSatisfy { $0.character == "b" } })
            #expect(simulated.scrolled == 0)
        }
    }

    @Test func `leaves keys in the system while nobody takes them`() async throws {
        let terminal = try PseudoTerminal()
        try await session(terminal) { session in
            var typed = ""
            // As much as the system keeps; a terminal drops what is more.
            for number in 0..<3_000 { typed += "\(number % 10)" }
            terminal.type(typed)
            try await until { session.state.withLock { $0.events.isFull } }
            var events = session.events.makeAsyncIterator()
            #expect(await events.next() == .resized(session.size))
            for character in typed {
                #expect(await events.next() == .input(.key(Key(character))))
            }
        }
    }

    @Test func `ends its events when the task is cancelled`() async throws {
        let terminal = try PseudoTerminal()
        try await session(terminal) { session in
            let task = Task {
                var count = 0
                for await _ in session.events { count += 1 }
                return count
            }
            try await until { session.state.withLock { $0.reader != nil } }
            task.cancel()
            #expect(await task.value == 1)
            var events = session.events.makeAsyncIterator()
            terminal.type("a")
            #expect(await events.next() == .input(.key(Key("a"))))
        }
    }

    @Test func `says when the terminal is gone, and draws no more`() async throws {
        let terminal = try PseudoTerminal()
        try await session(terminal) { session in
            var events = session.events.makeAsyncIterator()
            _ = await events.next()
            terminal.hangUp()
            #expect(await events.next() == .ended)
            #expect(await events.next() == nil)
            await #expect { try await session.draw(Screen(session.size)) } throws: {
                ($0 as? TerminalError)?.code == .closed
            }
        }
    }

    /// Who draws takes no events meanwhile, and is to learn from them why it is over.
    @Test func `draws nothing, and fails not, until its end was told`() async throws {
        let terminal = try PseudoTerminal()
        try await session(terminal) { session in
            terminal.hangUp()
            try await until { session.state.withLock(\.isClosed) }
            for _ in 0..<3 { try await session.draw(Screen(session.size)) }
            var events = session.events.makeAsyncIterator()
            #expect(await events.next() == .resized(session.size))
            try await session.draw(Screen(session.size))
            #expect(await events.next() == .ended)
            await #expect { try await session.draw(Screen(session.size)) } throws: {
                ($0 as? TerminalError)?.code == .closed
            }
        }
    }

    @Test func `is refused by what can show none`() async throws {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        #expect {
            _ = try TerminalSession(of: null, features: TerminalFeatures(), catchesSignals: false)
        } throws: {
            ($0 as? TerminalError)?.code == .systemFailure
        }
        let terminal = try PseudoTerminal()
        let descriptor = open(terminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(descriptor) }
        #expect {
            let dumb = TerminalFeatures(environment: ["TERM": "dumb"])
            _ = try TerminalSession(of: descriptor, features: dumb, catchesSignals: false)
        } throws: {
            ($0 as? TerminalError)?.code == .noCursor
        }
    }

    @Test func `keeps the order of events, and the last size alone`() {
        let (small, large) = (Size(columns: 1, rows: 1), Size(columns: 2, rows: 2))
        var queue = EventQueue()
        queue.add(.resized(small))
        queue.add(.resized(large))
        queue.add(.input(.key(Key("a"))))
        queue.add(.resumed(small))
        queue.add(.resized(large))
        queue.add(.terminated(signal: SIGTERM))
        queue.add(.ended)
        var events: [TerminalEvent] = []
        while let event = queue.next() { events.append(event) }
        #expect(
            events == [
                .resized(large), .input(.key(Key("a"))), .resumed(large),
                .terminated(signal: SIGTERM),
            ]
        )
        #expect(queue.isFinished)
    }
}
