import Foundation
import Testing

/// Where `eightball-answer` gets its answers from, asked by a raw asker over the private pair.
@Suite(
    "The command that answers",
    .enabled(if: WorldKind.current == .virtual, "what is tested happens in the command"),
    .timeLimit(.minutes(10))
)
struct AnswerSourcesTests {
    /// A folder that goes with the test.
    private final class Folder: Sendable {
        let path: String

        init() throws {
            path = "/tmp/answer-sources-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: false
            )
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ text: String) throws -> String {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/file"))
            return path + "/file"
        }

        /// A named pipe.
        func pipe(_ name: String) -> String {
            mkfifo(path + "/" + name, 0o600)
            return path + "/" + name
        }
    }

    private let bus: BallBus

    init() async throws {
        bus = try await BallBus(adapters: 3)
    }

    /// A running ball on hci1.
    private func ball(_ arguments: String...) async throws -> Tool {
        let ball = try Tool(
            "eightball-answer",
            ["--adapter", "hci1", "--json"] + arguments,
            bus: bus.address
        )
        try await ball.line(with: #""event":"advertising""#)
        return ball
    }

    @Test func `takes them from a file`() async throws {
        let folder = try Folder()
        let lines = ["Ja.", "Nein.", "SLUG-ANSWER-03"]
        let file = try folder.write(lines.joined(separator: "\n\n") + "\n")
        let ball = try await ball("--answers", file)
        let asker = try await bus.asker()
        for tag in 1...5 as ClosedRange<UInt64> {
            guard case .told(0, let text) = try await asker.askPrivately("Well?", tag: tag) else {
                Issue.record("not answered")
                return
            }
            #expect(lines.contains(text))
        }
        let told = await ball.interrupt()
        #expect(told.eventNames.filter { $0 == "delivered" }.count == 5)
    }

    @Test func `takes them from a shell command that reads the question`() async throws {
        let ball = try await ball(
            "--exec",
            #"read -r line; echo "to $line of $EIGHTBALL_ASKER"; echo more; echo noise >&2"#
        )
        let outcome = try await bus.asker().askPrivately("Is it $(so)?", tag: 1)
        #expect(outcome == .told(status: 0, text: "to Is it $(so)? of 00:AA:01:00:00:00"))
        await ball.interrupt()
    }

    @Test func `answers when the command has ended, whatever it left in the background`()
        async throws
    {
        let folder = try Folder()
        let (go, later) = (folder.pipe("go"), folder.pipe("later"))
        let reader = try Tool(URL(fileURLWithPath: "/bin/cat"), [later], bus: nil)
        let writer = try #require(FileHandle(forUpdatingAtPath: go))
        // Without a redirection the background process has the command's output open, until it is let go.
        let ball = try await ball("--exec", "{ head -n 1 '\(go)' >'\(later)'; } & echo now")
        let outcome = try await bus.asker().askPrivately("Well?", tag: 1)
        #expect(outcome == .told(status: 0, text: "now"))
        writer.write(Data("later\n".utf8))
        #expect(await reader.end().lines == ["later"])
        await ball.interrupt()
    }

    @Test(arguments: [
        ("echo secret >&2; exit 3", "status 3: secret"), ("kill -9 $$", "signal 9"),
        ("true", "printed nothing"),
    ])
    func `refuses when the command fails, and keeps to itself why`(
        command: String,
        reason: String
    ) async throws {
        let ball = try await ball("--exec", command)
        #expect(
            try await bus.asker().askPrivately("Well?", tag: 1) == .told(status: 0x95, text: "")
        )
        #expect(try await ball.line(with: #""event":"error""#).contains(reason))
        await ball.interrupt()
    }

    @Test(arguments: ["the asker leaves", "its time is over", "the ball is interrupted"])
    func `kills the command with all its children when`(happening: String) async throws {
        let folder = try Folder()
        let pipe = folder.pipe("pipe")
        // Whoever reads the pipe hears its end when no process is left that has it open.
        let reader = try Tool(URL(fileURLWithPath: "/bin/cat"), [pipe], bus: nil)
        let ball = try await ball(
            "--exec",
            "exec 3>'\(pipe)'; sleep 1000 & echo begun >&3; wait",
            "--thinking",
            // Enough for a shell to begin, also on a busy machine.
            happening == "its time is over" ? "2" : "60"
        )
        let asker = try await bus.asker()
        async let outcome = asker.askPrivately("Well?", tag: 1)
        try await reader.line(with: "begun")
        switch happening {
        case "the asker leaves":
            try await asker.leave()
            #expect(try await outcome == .lost)
        case "its time is over":
            #expect(try await outcome == .told(status: 0x95, text: ""))
        default:
            #expect(await ball.interrupt().status == 130)
            #expect(try await outcome == .told(status: 0x94, text: ""))
        }
        try await reader.end().requireSuccess()
        print("a command | \(happening) | killed with its children")
        if ball.isRunning { await ball.interrupt() }
    }

    @Test func `takes them from a person`() async throws {
        let folder = try Folder()
        let keyboard = try #require(FileHandle(forUpdatingAtPath: folder.pipe("keyboard")))
        let ball = try Tool(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", "exec eightball-answer --adapter hci1 --manual <'\(folder.path)/keyboard'"],
            bus: bus.address
        )
        try await ball.errorLine(with: "is waiting for questions")
        let asker = try await bus.asker()
        let typed: [(String, RawAsker.Outcome)] = [
            ("Surely.", .told(status: 0, text: "Surely.")),
            ("SLUG-ANSWER-08", .told(status: 0, text: "SLUG-ANSWER-08")),
            ("", .told(status: 0x97, text: "")),
            ("!", .told(status: 0x97, text: "")),
            ("!tooManyQuestions", .told(status: 0x96, text: "")),
            ("!ask my wife", .told(status: 0x97, text: "ask my wife")),
        ]
        for (number, (line, expected)) in typed.enumerated() {
            async let outcome = asker.askPrivately("\u{1B}[2J\(number)?", tag: UInt64(number))
            try await ball.errorLine(with: #"your answer to '\u{1B}[2J\#(number)?'"#)
            keyboard.write(Data((line + "\n").utf8))
            #expect(try await outcome == expected)
            print("a person types | '\(line)' | \(try await outcome)")
        }
        try keyboard.close()
        await ball.interrupt()
    }

    @Test func `has nobody to ask when standard input has ended`() async throws {
        let ball = try await ball("--manual")
        #expect(
            try await bus.asker().askPrivately("Well?", tag: 1) == .told(status: 0x95, text: "")
        )
        #expect(try await ball.line(with: #""event":"error""#).contains("standard input"))
        await ball.interrupt()
    }

    @Test func `lets as many wait as it is told`() async throws {
        let folder = try Folder()
        let pipe = folder.pipe("pipe")
        let writer = try #require(FileHandle(forUpdatingAtPath: pipe))
        let ball = try await ball("--exec", "head -n 1 '\(pipe)'", "--queue", "0")
        let first = try await bus.asker()
        let second = try await bus.asker(2)
        async let outcome = first.askPrivately("First?", tag: 1)
        try await ball.line(with: #""question":"First?""#)
        #expect(try await second.askPrivately("Second?", tag: 2) == .refused(0x90))
        writer.write(Data("Go on.\n".utf8))
        #expect(try await outcome == .told(status: 0, text: "Go on."))
        await ball.interrupt()
    }

    @Test func `limits how often one asks`() async throws {
        let ball = try await ball("--rate", "2/600", "--answer", "Yes.")
        let first = try await bus.asker()
        for tag in 1...2 as ClosedRange<UInt64> {
            let outcome = try await first.askPrivately("Well?", tag: tag)
            #expect(outcome == .told(status: 0, text: "SLUG-ANSWER-08"))
        }
        #expect(try await first.askPrivately("Well?", tag: 3) == .refused(0x96))
        #expect(try await first.ask("Well?") == .refused(0x96))
        let other = try await bus.asker(2).askPrivately("And I?", tag: 4)
        #expect(other == .told(status: 0, text: "SLUG-ANSWER-08"))
        await ball.interrupt()
    }

    @Test(arguments: [("/nowhere", "No such file or directory"), ("/etc", "Is a directory")])
    func `says why answers cannot be read`(path: String, reason: String) async throws {
        let outcome = try await Tool("eightball-answer", ["--answers", path], bus: nil).end()
        #expect(outcome.status == 64, "\(outcome)")
        #expect(outcome.errors.contains("'\(path)' cannot be read: \(reason)"), "\(outcome)")
    }

    @Test(arguments: [
        ["--manual", "--answer", "Yes."], ["--exec", "true", "--answers", "/etc/hostname"],
        ["--answers", "/nowhere"], ["--answers", "/dev/null"], ["--rate", "10"],
        ["--rate", "0/10"], ["--rate", "1/0"], ["--queue", "-1"], ["--at-once", "0"],
        ["--manual", "--at-once", "2"], ["--thinking", "soon"],
    ])
    func `refuses a command line that makes no sense`(arguments: [String]) async throws {
        let outcome = try await Tool("eightball-answer", arguments, bus: bus.address).end()
        #expect(outcome.status == 64, "\(outcome)")
    }
}
