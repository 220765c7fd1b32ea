package import Glibc

/// A command for `/bin/sh`, as it is started.
package struct ShellCommand {
    /// The command.
    package var text: String
    /// What it has as standard input, output and error; this program's own where it is `nil`.
    package var files: (input: Int32?, output: Int32?, errors: Int32?) = (nil, nil, nil)
    /// The path of a terminal that it gets in place of files, in a session of its own.
    package var terminal: String?
    /// An environment variable that it gets, beside those that are there.
    package var variable: (name: String, value: String)?

    /// A command that has this program's files.
    package init(_ text: String) {
        self.text = text
    }

    /// Starts it, in a process group of its own, without any other of this program's files.
    ///
    /// - Returns: its process, which leads its group.
    /// - Throws: ``SystemFailure``.
    package func start() throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let terminal {
            // The first terminal that the leader of a session opens is the session's.
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
            posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
        } else {
            for (file, number) in [
                (files.input, STDIN_FILENO), (files.output, STDOUT_FILENO),
                (files.errors, STDERR_FILENO),
            ] {
                guard let file else { continue }
                posix_spawn_file_actions_adddup2(&actions, file, number)
            }
        }
        // What another thread has just opened is not marked yet as close-on-exec, and may be the end of a pipe for whose
        // end another command waits. glibc ignores those that are not open.
        for number in 3..<4_096 { posix_spawn_file_actions_addclose(&actions, Int32(number)) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of Dispatch block signals, and this program ignores some; a child inherits both.
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        // As <spawn.h> has it, whose macro Swift does not import: the leader of a session leads a group, too.
        let newSession: Int32 = 0x80
        let group = terminal == nil ? Int32(POSIX_SPAWN_SETPGROUP) : newSession
        let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | group
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var arguments = ["sh", "-c", text].map { (word: String) in strdup(word) } + [nil]
        var variables = environment
        defer { for word in arguments + variables { free(word) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, &variables)
        guard status == 0 else { throw SystemFailure("/bin/sh", status) }
        return pid
    }

    private var environment: [UnsafeMutablePointer<CChar>?] {
        var variables: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let entry = next.pointee {
            let isReplaced = variable.map {
                strncmp(entry, "\($0.name)=", $0.name.utf8.count + 1) == 0
            }
            if isReplaced != true { variables.append(strdup(entry)) }
            next += 1
        }
        return variables + (variable.map { [strdup("\($0.name)=\($0.value)")] } ?? []) + [nil]
    }
}
