import Glibc

/// A process whose output is read.
final class Child {
    private let pid: pid_t
    private let output: Int32

    /// Starts a program, found as the shell finds it.
    init(_ words: [String]) throws(BenchError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchError("making a pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, words[0], &actions, nil, &arguments, environ)
        close(ends[1])
        self.pid = pid
        output = ends[0]
        guard status == 0 else { throw BenchError("starting \(words[0])", status) }
    }

    deinit {
        close(output)
    }

    /// The next line that it prints, empty at the end.
    func line() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Waits for its end.
    ///
    /// - Throws: when it did not end with the status 0.
    func wait() throws(BenchError) {
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        guard status == 0 else { throw BenchError("a client ended with the status \(status)") }
    }

    func stop() {
        kill(pid, SIGTERM)
        waitpid(pid, nil, 0)
    }
}

/// Why nothing can be measured.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ attempt: String, _ code: Int32 = 0) {
        description = code == 0 ? attempt : "\(attempt): \(String(cString: strerror(code)))"
    }
}
