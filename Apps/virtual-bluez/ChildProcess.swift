import ArgumentParser
import Glibc

/// A command that runs with this program's input and output.
struct ChildProcess {
    private let pid: pid_t

    /// Starts a command, looked up in `PATH`.
    ///
    /// - Parameters:
    ///   - words: the command and its arguments; not empty.
    ///   - variable: an environment variable that it gets, beside those that are there.
    /// - Throws: `ExitCode` 127 when it is not found, 126 when it can't be run.
    init(_ words: [String], setting variable: (name: String, value: String)) throws {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Dispatch's threads block all signals, and a child inherits that.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        setenv(variable.name, variable.value, 1)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, words[0], nil, &attributes, &arguments, environ)
        guard status == 0 else {
            var standardError = StandardError()
            let reason = String(cString: strerror(status))
            print("virtual-bluez: \(words[0]): \(reason)", to: &standardError)
            throw ExitCode(status == ENOENT ? 127 : 126)
        }
        self.pid = pid
    }

    func send(_ signal: Int32) {
        kill(pid, signal)
    }

    /// How it ended, as a shell tells it.
    ///
    /// - Returns: `nil` while it runs. Not to be asked again after that.
    func exitStatus() -> Int32? {
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
