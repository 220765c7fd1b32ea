import BLEDBus
import Foundation
import Testing

/// Askers that send what no asker should, as fast as they can: the ball refuses, and answers others.
@Suite(
    "A hostile asker",
    .enabled(if: WorldKind.current == .virtual, "it needs ten adapters"),
    .timeLimit(.minutes(10))
)
struct HostileAskerTests {
    private let bus: BallBus

    init() async throws {
        bus = try await BallBus(adapters: 10)
    }

    /// A running ball on hci1.
    private func ball(_ arguments: String...) async throws -> Tool {
        let options = ["--adapter", "hci1"] + arguments
        let ball = try Tool("eightball-answer", options, bus: bus.address)
        try await ball.errorLine(with: "waiting for questions")
        return ball
    }

    /// What a process has in memory, in KiB.
    private func memory(of tool: Tool) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(tool.pid)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    /// With what each value is refused, as a question and as a private question; `nil` where it is accepted.
    static let values: [(name: String, value: [UInt8], plain: UInt8?, privateQuestion: UInt8?)] = [
        ("nothing", [], 0x93, 0x93),
        ("a zero byte", [0], 0x0E, 0x93),
        ("no UTF-8", [0xFF, 0xFE, 0x3F], 0x93, 0x93),
        ("a surrogate", [0xED, 0xA0, 0x80, 0x3F], 0x93, 0x93),
        ("510 bytes, as many as a write has", [UInt8](repeating: 0x3F, count: 510), 0x92, 0x93),
        ("480 bytes of controls", [UInt8](repeating: 0x1B, count: 479) + [0x3F], nil, 0x93),
        ("a later version", [2] + [UInt8](repeating: 7, count: 8) + [0x3F], nil, 0x93),
        ("a tag alone", [1] + [UInt8](repeating: 7, count: 8), 0x0E, 0x93),
        ("half a tag", [1, 7, 7, 7], 0x0E, 0x93),
        ("a clear screen", Array("\u{1B}[2J\u{7}\r\n\u{202E}?".utf8), nil, 0x93),
    ]

    @Test(arguments: values)
    func `is refused or answered, and printed harmlessly`(
        name: String,
        value: [UInt8],
        plain: UInt8?,
        privateQuestion: UInt8?
    ) async throws {
        let ball = try await ball("--answer", "As it is.")
        let hostile = try await bus.asker(0)
        #expect(
            try await hostile.write(value, to: RawAsker.privateQuestion) == privateQuestion,
            "\(name)"
        )
        let code = try await hostile.write(value, to: RawAsker.question)
        #expect(code == plain, "\(name)")
        try await hostile.leave()
        let good = try await bus.asker(2)
        let outcome = try await good.askPrivately("Are you well?", tag: 1)
        #expect(outcome == .told(status: 0, text: "As it is."))
        let printed = await ball.interrupt()
        for scalar in (printed.output + printed.errors).unicodeScalars where scalar != "\n" {
            #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), "\(scalar)")
        }
    }

    @Test(arguments: [(1, 2000), (8, 250)])
    func `floods a ball, which stays small and answers others`(
        count: Int,
        writes: Int
    ) async throws {
        // The answer is never found, so that all the room fills up.
        let ball = try await ball("--exec", "sleep 1000", "--queue", "4")
        let numbers = [0] + (3...9)
        let hostile = try await numbers.prefix(count).asyncMap { try await bus.asker($0) }
        let before = try memory(of: ball)
        let codes = try await withThrowingTaskGroup(of: [UInt8: Int].self) { group in
            for (number, asker) in hostile.enumerated() {
                group.addTask {
                    var codes: [UInt8: Int] = [:]
                    for write in 0..<writes {
                        let tag = [UInt8](repeating: UInt8(number), count: 8)
                        let text = Array("\(write)?".utf8)
                        let isPlain = write % 4 == 3
                        let code = try await asker.write(
                            isPlain ? text : [1] + tag + text,
                            to: isPlain ? RawAsker.question : RawAsker.privateQuestion
                        )
                        codes[code ?? 0, default: 0] += 1
                    }
                    return codes
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
        }
        let after = try memory(of: ball)
        print(
            "flood | \(count) askers | \(count * writes) writes | \(codes) | \(after - before) KiB"
        )
        #expect(codes.values.reduce(0, +) == count * writes)
        #expect(Set(codes.keys).isSubset(of: [0, 0x90]), "\(codes)")
        #expect(codes[0x90, default: 0] > 0)
        // The address sanitizer makes thirty times as much of it.
        #expect(after - before < 64 * 1024, "\(before) KiB, then \(after)")
        // Their places are free when they have gone; the one that is thought about is ended.
        for asker in hostile { try await asker.leave() }
        let good = try await bus.asker(2)
        #expect(
            try await good.write(
                [1] + [UInt8](repeating: 9, count: 8) + [0x3F],
                to: RawAsker.privateQuestion
            ) == nil
        )
        await ball.interrupt()
    }

    @Test func `in the stead of a person types without end`() async throws {
        let script = """
            { head -c 500000 /dev/zero | tr '\\0' x; echo; echo 'A short one.'; sleep 1000; } |
            exec eightball-answer --adapter hci1 --manual
            """
        let shell = URL(fileURLWithPath: "/bin/sh")
        let ball = try Tool(shell, ["-c", script], bus: bus.address)
        try await ball.errorLine(with: "waiting for questions")
        let outcome = try await bus.asker(0).askPrivately("What now?", tag: 1)
        #expect(outcome == .told(status: 0, text: "A short one."))
        try await ball.line(with: "A short one.")
    }

    @Test func `has answers of a command that prints megabytes`() async throws {
        let ball = try await ball("--exec", "yes never | head -c 40000000")
        let before = try memory(of: ball)
        let outcome = try await bus.asker(0).askPrivately("When?", tag: 1)
        #expect(outcome == .told(status: 0, text: "never"))
        let after = try memory(of: ball)
        // The address sanitizer keeps some of what was freed.
        #expect(after - before < 32 * 1024, "\(before) KiB, then \(after)")
        await ball.interrupt()
    }

    @Test func `has answers in a file that never ends`() async throws {
        let ball = try Tool("eightball-answer", ["--answers", "/dev/zero"], bus: bus.address)
        let outcome = await ball.end()
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("'/dev/zero' is longer than 1048576 bytes"))
    }
}

extension Sequence {
    fileprivate func asyncMap<Output>(
        _ transform: (Element) async throws -> Output
    ) async rethrows -> [Output] {
        var outputs: [Output] = []
        for element in self { outputs.append(try await transform(element)) }
        return outputs
    }
}
