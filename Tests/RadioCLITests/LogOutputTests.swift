import Glibc
import Testing

@testable import RadioCLI

@Suite("What is logged")
struct LogOutputTests {
    @Test func `is printable, a line for each entry`() throws {
        var ends: [Int32] = [0, 0]
        let status = pipe(&ends)
        try #require(status == 0)
        defer { _ = Glibc.close(ends[0]) }
        let output = LogOutput(file: ends[1])
        output.write("debug: name=\u{9B}2J found \u{1B}[2J\nBall\n")
        output.write("debug: lost Ball\r\n")
        _ = Glibc.close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &bytes, bytes.count)
        #expect(
            String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == #"""
                debug: name=\u{9B}2J found \u{1B}[2J\u{A}Ball
                debug: lost Ball\u{D}

                """#
        )
    }
}
