internal import BLELocking
internal import Dispatch
internal import Glibc

/// A private message bus: a `dbus-daemon` that listens on a socket in a new folder of `/tmp`.
///
/// All clients may own any name, send any message and receive any signal. The bus ends with ``stop()``,
/// with the last reference to this object, and with this process, however that ends.
public final class PrivateBus: Sendable {
    /// The address of the bus, for `DBUS_SYSTEM_BUS_ADDRESS`.
    public let address: String

    /// The daemon, and the shell that ends it when the pipe to the shell is closed.
    private struct Processes {
        let shell: pid_t
        let daemon: pid_t
        let pipe: Int32
    }

    private let processes: Locked<Processes?>

    /// Starts a bus, and returns when it accepts connections; no thread of Swift's tasks waits for it meanwhile.
    ///
    /// - Parameter names: as ``init(denying:)`` has them.
    /// - Returns: the bus.
    /// - Throws: ``PrivateBusError`` when `dbus-daemon` is not installed, or does not start.
    public static func start(denying names: [String] = []) async throws -> PrivateBus {
        let start = Start()
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "starts a private bus").async {
                let result = Result { try PrivateBus(denying: names) }
                start.result.withLock { $0 = result }
                continuation.resume()
            }
        }
        guard let bus = try start.result.withLock({ try $0?.get() }) else {
            preconditionFailure("a bus was started without a result")
        }
        return bus
    }

    /// What comes of a start: the thread sanitizer does not see that a continuation synchronises (Docs/Decisions/0003).
    private final class Start: Sendable {
        let result = Locked<Result<PrivateBus, any Error>?>(nil)
    }

    /// Starts a bus, and returns when it accepts connections.
    ///
    /// The thread waits for it, a few milliseconds; in tasks ``start(denying:)`` is better.
    ///
    /// - Parameter names: well-known names to which clients may not send messages, as in the policy of a
    ///   system bus for users without rights. They get `org.freedesktop.DBus.Error.AccessDenied`.
    /// - Throws: ``PrivateBusError`` when `dbus-daemon` is not installed, or does not start.
    public init(denying names: [String] = []) throws {
        var template = Array("/tmp/private-bus-XXXXXX\0".utf8.map(CChar.init(bitPattern:)))
        let folder = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
        }
        guard let folder else { throw PrivateBusError("making a folder in /tmp", errno) }
        do {
            try Self.writeConfiguration(in: folder, denying: names)
            let (processes, address) = try Self.spawn(in: folder)
            self.processes = Locked(processes)
            self.address = address
        } catch {
            unlink(Self.configuration(in: folder))
            rmdir(folder)
            throw error
        }
    }

    deinit {
        stop()
    }

    /// Kills the bus, as a crash does: all clients lose their connections.
    ///
    /// Does nothing when the bus has ended.
    public func stop() {
        let processes = processes.withLock { processes in
            defer { processes = nil }
            return processes
        }
        guard let processes else { return }
        kill(processes.daemon, SIGKILL)
        close(processes.pipe)
        waitpid(processes.shell, nil, 0)
    }

    /// Suspends the process of the bus, which then hangs until ``resume()``.
    public func suspend() {
        processes.withLock { if let processes = $0 { _ = kill(processes.daemon, SIGSTOP) } }
    }

    /// Resumes a suspended bus.
    public func resume() {
        processes.withLock { if let processes = $0 { _ = kill(processes.daemon, SIGCONT) } }
    }

    /// Holds the connections of this process to the bus, so that it does not notice when one is closed.
    package func holdConnections() -> HeldConnections {
        let path = address.split(separator: ",").first ?? ""
        return HeldConnections(toBusAt: String(path.dropFirst("unix:path=".count)))
    }

    /// Starts the daemon below a shell that waits for the end of this process.
    ///
    /// A daemon without one would outlive a process that is killed, and keep its standard error open, for
    /// whose end others may wait.
    private static func spawn(
        in folder: String
    ) throws(PrivateBusError) -> (Processes, address: String) {
        let output = try openPipe()
        let input = try openPipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, input.reading, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.writing, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // The daemon must not keep descriptors that another thread has just opened, and not marked yet as
        // close-on-exec. glibc ignores those that are not open.
        for descriptor in 3..<256 { posix_spawn_file_actions_addclose(&actions, Int32(descriptor)) }
        defer { posix_spawn_file_actions_destroy(&actions) }
        // A process group of its own: an interrupt from the terminal is for the programs on the bus.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        defer { posix_spawnattr_destroy(&attributes) }

        let words = ["sh", "-c", script, folder]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var shell: pid_t = 0
        let status = posix_spawnp(&shell, "sh", &actions, &attributes, &arguments, environ)
        close(input.reading)
        close(output.writing)
        defer { close(output.reading) }
        guard status == 0 else {
            close(input.writing)
            throw PrivateBusError("starting a shell for dbus-daemon", status)
        }
        let address = readLine(output.reading)
        guard !address.isEmpty, let daemon = pid_t(readLine(output.reading)) else {
            close(input.writing)
            waitpid(shell, nil, 0)
            throw PrivateBusError(
                "starting dbus-daemon failed; is the package dbus-daemon installed?",
                0
            )
        }
        return (Processes(shell: shell, daemon: daemon, pipe: input.writing), address)
    }

    /// `read` returns when the other end of standard input is closed.
    ///
    /// A daemon that is killed leaves its socket behind, so the folder is removed with its contents.
    private static let script = """
        dbus-daemon --nofork --config-file="$0/bus.conf" --print-address=1 --print-pid=1 </dev/null &
        exec >/dev/null
        read -r _
        kill -9 $!
        rm -rf "$0"
        """

    private static func configuration(in folder: String) -> String { folder + "/bus.conf" }

    private static func writeConfiguration(
        in folder: String,
        denying names: [String]
    ) throws(PrivateBusError) {
        let path = configuration(in: folder)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw PrivateBusError("making \(path)", errno) }
        defer { close(descriptor) }
        let text = configurationText(folder, denying: names)
        let written = text.withCString { write(descriptor, $0, text.utf8.count) }
        guard written == text.utf8.count else { throw PrivateBusError("writing \(path)", errno) }
    }

    /// Two sockets: they can be close-on-exec from the start, as `pipe` cannot be.
    private static func openPipe() throws(PrivateBusError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
            throw PrivateBusError("making a pair of sockets", errno)
        }
        return (ends[0], ends[1])
    }

    private static func readLine(_ descriptor: Int32) -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static func configurationText(_ folder: String, denying names: [String]) -> String {
        let denials = names.map { "<deny send_destination=\"\($0)\"/>" }
        return """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:path=\(folder)/bus</listen>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                \(denials.joined(separator: "\n    "))
              </policy>
            </busconfig>

            """
    }
}

/// Why a private bus could not be started.
public struct PrivateBusError: Error, CustomStringConvertible {
    /// What was tried and what came back.
    public let description: String

    init(_ attempt: String, _ code: Int32) {
        description = code == 0 ? attempt : "\(attempt): \(String(cString: strerror(code)))"
    }
}
