import Glibc
import RadioCLI
import Testing

@Suite("A shell command")
struct ShellCommandTests {
    /// One that is the end of another command's input would keep that waiting for the end.
    @Test func `has no file that this program has open`() async throws {
        let number = Glibc.open("/dev/null", O_RDONLY)
        try #require(number > STDERR_FILENO)
        defer { _ = Glibc.close(number) }
        let command = try TextCommand(
            "[ -e /proc/$$/fd/\(number) ] && echo open || echo closed",
            input: "",
            setting: ("NUMBER", "\(number)")
        )
        #expect(try await command.firstLine() == "closed")
    }
}
