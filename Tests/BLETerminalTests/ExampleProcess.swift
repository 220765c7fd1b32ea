import Dispatch
import Glibc
import Testing

/// `terminal-example`, or a shell in which it can be started, in a terminal of its own.
final class ExampleProcess: Sendable {
    /// The program, which the build has put beside the tests.
    static let path: String = {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        let folder = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
            .split(separator: "/").dropLast()
        return "/" + folder.joined(separator: "/") + "/terminal-example"
    }()

    let id: pid_t

    private let queue = DispatchQueue(label: "waits for a process")

    /// Starts a program as the leader of a session whose terminal this is.
    init(
        _ words: [String] = [path],
        in terminal: PseudoTerminal,
        variables: [String] = ["TERM=xterm-256color"],
        output: String? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal.path, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        if let output {
            posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // As <spawn.h> has it, whose macro Swift does not import.
        let newSession: Int32 = 0x80
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | newSession
        posix_spawnattr_setflags(&attributes, Int16(flags))
        var arguments = words.map { strdup($0) } + [nil]
        var environment =
            (variables + ["PATH=/usr/bin:/bin", "PS1=ready "]).map { strdup($0) } + [nil]
        defer { for word in arguments + environment { free(word) } }
        var id: pid_t = 0
        let status = posix_spawn(&id, words[0], &actions, &attributes, &arguments, &environment)
        guard status == 0 else {
            throw PseudoTerminal.Failure(description: "starting \(words[0]): \(status)")
        }
        self.id = id
    }

    /// How the program ended, as `waitpid` says it; one that does not end is killed after a while.
    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            queue.async { [id] in
                let killing = DispatchWorkItem { kill(id, SIGKILL) }
                DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: killing)
                var status: Int32 = 0
                waitpid(id, &status, 0)
                killing.cancel()
                continuation.resume(returning: status)
            }
        }
    }
}
