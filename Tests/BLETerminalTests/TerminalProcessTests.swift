import BLETerminal
import Glibc
import Testing

@Suite("A program in a terminal", .timeLimit(.minutes(10)))
struct TerminalProcessTests {
    private static let leaving = "\u{1B}[?2004l\u{1B}[?25h\u{1B}[?1049l"

    @Test func `edits, and ends`() async throws {
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        let example = try ExampleProcess(in: terminal)
        try await terminal.wait(for: "40x6 resized 140")
        terminal.type("Hi 👋")
        try await terminal.wait(for: "👋")
        terminal.type("\u{1B}[200~one\rtwo\u{1B}[201~")
        try await terminal.wait(for: "two")
        terminal.type("\u{3}")
        try await terminal.wait(for: Self.leaving)
        try await terminal.wait(for: "bye\r\n")
        #expect(await example.status() == 0)
        #expect(terminal.settings == settings)
    }

    @Test func `learns its size`() async throws {
        let terminal = try PseudoTerminal()
        let example = try ExampleProcess(in: terminal)
        try await terminal.wait(for: "40x6")
        terminal.resize(columns: 30, rows: 5)
        try await terminal.wait(for: "30x5 resized")
        terminal.resize(columns: 20, rows: 4)
        try await terminal.wait(for: "20x4 resized")
        terminal.type("\u{3}")
        #expect(await example.status() == 0)
    }

    @Test(arguments: [SIGINT, SIGQUIT, SIGTERM, SIGHUP])
    func `restores the terminal at a signal`(signal: Int32) async throws {
        let terminal = try PseudoTerminal()
        let settings = terminal.settings
        let example = try ExampleProcess(in: terminal)
        try await terminal.wait(for: "40x6")
        kill(example.id, signal)
        try await terminal.wait(for: Self.leaving)
        try await terminal.wait(for: "ended by signal \(signal)\r\n")
        #expect(await example.status() == 0)
        #expect(terminal.settings == settings)
    }

    @Test func `goes on when nobody could make it go on after a stop`() async throws {
        let terminal = try PseudoTerminal()
        let example = try ExampleProcess(in: terminal)
        try await terminal.wait(for: "40x6")
        // The leader of a session whose parent is in another one: it is never stopped.
        kill(example.id, SIGTSTP)
        try await terminal.wait(for: Self.leaving)
        try await terminal.wait(for: "40x6 resumed")
        terminal.type("x\u{3}")
        #expect(await example.status() == 0)
    }

    @Test func `is stopped, and goes on, with the jobs of a shell`() async throws {
        let terminal = try PseudoTerminal(columns: 100, rows: 6)
        let shell = try ExampleProcess(["/bin/bash", "--norc", "--noprofile", "-i"], in: terminal)
        try await terminal.wait(for: "ready ")
        terminal.type("\(ExampleProcess.path)\r")
        try await terminal.wait(for: "100x6 resized")
        terminal.type("漢")
        try await terminal.wait(for: "漢")
        // Ctrl-Z.
        terminal.type("\u{1A}")
        try await terminal.wait(for: Self.leaving)
        try await terminal.wait(for: "Stopped")
        try await terminal.wait(for: "ready ")
        terminal.type("fg\r")
        try await terminal.wait(for: "\u{1B}[?1049h")
        // In one frame; or in two, when the stop came before what Ctrl-Z changed was drawn.
        try await terminal.wait(for: ["resumed", "漢"])
        terminal.type("\u{3}")
        try await terminal.wait(for: "bye\r\n")
        try await terminal.wait(for: "ready ")
        terminal.type("exit 7\r")
        #expect(await shell.status() == 7 << 8)
    }

    @Test func `runs in the background without the terminal, and can be ended there`() async throws
    {
        let terminal = try PseudoTerminal(columns: 100, rows: 6)
        let shell = try ExampleProcess(["/bin/bash", "--norc", "--noprofile", "-i"], in: terminal)
        try await terminal.wait(for: "ready ")
        terminal.type("\(ExampleProcess.path) &\r")
        try await terminal.wait(for: "ready ")
        terminal.type("fg\r")
        // Resumed, or, when the shell was faster than the program, resized.
        try await terminal.wait(for: "100x6 re")
        terminal.type("\u{1A}")
        try await terminal.wait(for: "Stopped")
        try await terminal.wait(for: "ready ")
        terminal.type("bg\r")
        try await terminal.wait(for: "ready ")
        terminal.type("fg\r")
        try await terminal.wait(for: "resumed")
        terminal.type("\u{1A}")
        try await terminal.wait(for: "Stopped")
        try await terminal.wait(for: "ready ")
        // It does not leave a job that it takes for stopped, and is told at once when it ends.
        terminal.type("set -b; kill %1\r")
        try await terminal.wait(for: "ended by signal 15")
        try await terminal.wait(for: "Done")
        terminal.type("exit 7\r")
        #expect(await shell.status() == 7 << 8)
    }

    @Test func `is drawn again after a stop that nobody can catch`() async throws {
        let terminal = try PseudoTerminal()
        let example = try ExampleProcess(in: terminal)
        try await terminal.wait(for: "40x6")
        kill(example.id, SIGSTOP)
        kill(example.id, SIGCONT)
        try await terminal.wait(for: "40x6 resumed")
        terminal.type("\u{3}")
        #expect(await example.status() == 0)
    }

    @Test func `ends when the terminal is gone`() async throws {
        let terminal = try PseudoTerminal()
        let example = try ExampleProcess(in: terminal)
        try await terminal.wait(for: "40x6")
        terminal.hangUp()
        // Nobody is there to read what it says.
        #expect(await example.status() & 0x7F == 0)
    }

    @Test func `leaves no thread and no file`() async throws {
        let terminal = try PseudoTerminal()
        let rounds = 20
        let example = try ExampleProcess([ExampleProcess.path, "\(rounds)"], in: terminal)
        var counts: [(files: Int, threads: Int)] = []
        for _ in 0..<rounds {
            try await terminal.wait(for: "\u{1B}[?25l")
            terminal.type("x")
            try await terminal.wait(for: "files ")
            let words = try await terminal.wait(for: "\r\n").split { " \r\n".contains($0) }
            counts.append((try #require(Int(words[0])), try #require(Int(words[2]))))
        }
        #expect(await example.status() == 0)
        // A thread of Dispatch opens four files of its own: on a busy machine not before the first rounds are over.
        // What a session leaves would be there once for each round.
        #expect(counts[rounds - 1].files <= counts[0].files + 4, "\(counts)")
        // The runtime's own threads come when they are needed; there is one for each core at most.
        #expect(counts[rounds - 1].threads <= counts[0].threads + 3, "\(counts)")
    }

    @Test func `says in words that there is no terminal`() async throws {
        let terminal = try PseudoTerminal()
        let piped = try ExampleProcess(in: terminal, output: "/dev/null")
        try await terminal.wait(
            for: "standard output is not a terminal; run this in a terminal window"
        )
        #expect(await piped.status() == 1 << 8)
        let dumb = try ExampleProcess(in: terminal, variables: ["TERM=dumb"])
        try await terminal.wait(for: "can't show a full screen")
        #expect(await dumb.status() == 1 << 8)
    }

    @Test func `has no colours when they are not wanted`() async throws {
        let terminal = try PseudoTerminal()
        let example = try ExampleProcess(
            in: terminal,
            variables: ["TERM=xterm-256color", "NO_COLOR=1"]
        )
        let seen = try await terminal.wait(for: "40x6")
        #expect(seen.contains("\u{1B}[1m40x6"))
        terminal.type("\u{3}")
        #expect(await example.status() == 0)
    }
}
