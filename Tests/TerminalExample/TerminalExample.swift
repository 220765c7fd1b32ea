import BLETerminal
import Glibc

/// A small editor that shows what happens, for the tests of a session; and how a session is used.
///
/// Ctrl-C ends it, Ctrl-Z stops it. With a number it runs so many sessions, each until a key is pressed, and
/// says after each what the process has open.
@main
struct TerminalExample {
    static func main() async {
        do {
            let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) }
            if let rounds {
                for _ in 0..<rounds { try await waitForKey() }
            } else {
                try await edit()
            }
        } catch {
            let message = Array("terminal-example: \(error)\n".utf8)
            _ = write(STDERR_FILENO, message, message.count)
            exit(1)
        }
    }

    private static func edit() async throws {
        let end = try await TerminalSession.run { session -> String in
            var editor = LineEditor(size: session.size, limit: TextLimit(140))
            for await event in session.events {
                switch event {
                case .input(.key(Key("c", .control))): return "bye"
                case .input(.key(Key("z", .control))): session.suspend()
                case .input(let input):
                    if let edit = Edit(input) { editor.apply(edit) }
                case .resized, .resumed: break
                case .terminated(let signal): return "ended by signal \(signal)"
                case .ended: return "the terminal is gone"
                }
                try await session.draw(screen(session.size, event, &editor))
            }
            return "no more events"
        }
        print(end)
    }

    private static func screen(
        _ size: Size,
        _ event: TerminalEvent,
        _ editor: inout LineEditor
    ) -> Screen {
        var screen = Screen(size)
        let status = "\(size.columns)x\(size.rows) \(name(event)) \(editor.remaining ?? 0)"
        screen.write(status, at: Position(row: 0, column: 0), Style(.green, .bold))
        editor.size = Size(columns: size.columns, rows: size.rows - 1)
        for (row, text) in editor.visibleRows.enumerated() {
            screen.write(text, at: Position(row: row + 1, column: 0))
        }
        screen.cursor = Position(row: editor.cursor.row + 1, column: editor.cursor.column)
        return screen
    }

    private static func name(_ event: TerminalEvent) -> String {
        switch event {
        case .input: "input"
        case .resized: "resized"
        case .resumed: "resumed"
        case .terminated: "terminated"
        case .ended: "ended"
        }
    }

    private static func waitForKey() async throws {
        try await TerminalSession.run { session in
            try await session.draw(Screen(session.size))
            for await case .input in session.events { return }
        }
        print("files \(count("/proc/self/fd")) threads \(count("/proc/self/task"))")
        fflush(nil)
    }

    private static func count(_ folder: String) -> Int {
        guard let entries = opendir(folder) else { return -1 }
        defer { closedir(entries) }
        var count = 0
        while readdir(entries) != nil { count += 1 }
        return count
    }
}
