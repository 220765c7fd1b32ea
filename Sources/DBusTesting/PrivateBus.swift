internal import Glibc
internal import Synchronization

/// A message bus of one's own: a `dbus-daemon` that listens on a socket in a new folder of `/tmp`.
///
/// Everybody may own every name, send everything and listen to everything. It ends with
/// ``stop()``, or when the object goes.
public final class PrivateBus: Sendable {
    /// Where the bus listens, for `DBUS_SYSTEM_BUS_ADDRESS`.
    public let address: String

    private let process: Mutex<pid_t?>
    private let configuration: String

    /// Starts a bus; returns when it listens.
    ///
    /// - Throws: ``PrivateBusError`` when there is no `dbus-daemon`, or when it does not start.
    public init() throws {
        var template = Array("/tmp/private-bus-XXXXXX\0".utf8.map(CChar.init(bitPattern:)))
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw PrivateBusError("making a file in /tmp", errno) }
        configuration = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        let text = Self.configurationText
        let written = text.withCString { write(descriptor, $0, text.utf8.count) }
        close(descriptor)
        guard written == text.utf8.count else {
            unlink(configuration)
            throw PrivateBusError("writing \(configuration)", errno)
        }
        do {
            let (pid, address) = try Self.spawn(configuration)
            process = Mutex(pid)
            self.address = address
        } catch {
            unlink(configuration)
            throw error
        }
    }

    deinit {
        stop()
    }

    /// Ends the bus at once, as by a crash: all its clients lose their connection.
    ///
    /// Doing so again does nothing.
    public func stop() {
        let pid = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let pid else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
        unlink(configuration)
    }

    /// Stops the bus's process, so that it accepts and says nothing, as one that hangs.
    public func suspend() {
        process.withLock { if let pid = $0 { _ = kill(pid, SIGSTOP) } }
    }

    /// Lets a suspended bus go on.
    public func resume() {
        process.withLock { if let pid = $0 { _ = kill(pid, SIGCONT) } }
    }

    /// The daemon's process and the address that it prints first.
    private static func spawn(_ configuration: String) throws(PrivateBusError) -> (pid_t, String) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw PrivateBusError("making a pipe", errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        defer { posix_spawn_file_actions_destroy(&actions) }

        let words = [
            "dbus-daemon", "--nofork", "--config-file=\(configuration)", "--print-address",
        ]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var pid: pid_t = 0
        let status = posix_spawnp(&pid, "dbus-daemon", &actions, nil, &arguments, environ)
        close(ends[1])
        guard status == 0 else { throw PrivateBusError("starting dbus-daemon", status) }

        let address = readLine(ends[0])
        guard !address.isEmpty else {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
            throw PrivateBusError("starting dbus-daemon: it printed no address", 0)
        }
        return (pid, address)
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

    private static let configurationText = """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:tmpdir=/tmp</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>

        """
}

/// Why no private bus could be started.
public struct PrivateBusError: Error, CustomStringConvertible {
    /// What was tried and what came back.
    public let description: String

    init(_ attempt: String, _ code: Int32) {
        description = code == 0 ? attempt : "\(attempt): \(String(cString: strerror(code)))"
    }
}
