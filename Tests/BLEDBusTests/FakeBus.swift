import BLEDBus
import Dispatch
import Glibc

/// A socket that lets one client authenticate, sends it some bytes and hangs up.
///
/// With ``Greeting/accepting`` it replies to `Hello` before, asks for a sign of life behind them, and
/// hangs up only when that or the end of the connection has come.
final class FakeBus: Sendable {
    /// How a client is received.
    enum Greeting {
        case none
        case accepting
    }

    let address: String

    /// Whether the client has given a sign of life, once.
    let survivals: AsyncStream<Bool>
    private let survival: AsyncStream<Bool>.Continuation

    init(
        replyingToAuthentication reply: String = "OK 0123456789abcdef0123456789abcdef\r\n",
        after pause: Duration = .zero,
        _ greeting: Greeting = .none,
        sending frame: [UInt8]
    ) throws {
        (survivals, survival) = AsyncStream.makeStream()
        let name = "fake-bus-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        address = "unix:abstract=\(name)"
        // No tool that another test starts meanwhile gets a copy.
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue
        let listener = socket(AF_UNIX, Int32(kind), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0[1...].copyBytes(from: Array(name.utf8)) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let status = withUnsafeBytes(of: &place) { bytes in
            bind(listener, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
        guard status == 0, listen(listener, 1) == 0 else { throw Failure(errno: errno) }
        DispatchQueue(label: "a fake bus").async { [survival] in
            let client = accept(listener, nil, nil)
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            close(listener)
            defer {
                // Closing is not enough while a child process of another test holds a copy.
                shutdown(client, Int32(SHUT_RDWR))
                close(client)
            }
            Self.authenticate(client, reply, pause)
            guard greeting == .accepting else { return Self.send(frame, client) }
            // The first call of a client has the serial 1.
            guard Self.readMessage(client) else { return }
            Self.send(Self.greeting, client)
            Self.send(frame, client)
            Self.send(Self.ping, client)
            survival.yield(Self.readMessage(client))
            survival.finish()
        }
    }

    struct Failure: Error {
        let errno: Int32
    }

    private static func authenticate(_ client: Int32, _ reply: String, _ pause: Duration) {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(client, &byte, 1) == 1 {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            let text = String(decoding: line, as: UTF8.self)
            line = []
            if text.contains("AUTH") {
                send(Array(reply.utf8), client)
                // Not for anything to happen: it is when the next line comes that matters, to a
                // microsecond. A sleep lasts 50 of them at least.
                let end = ContinuousClock.now + pause
                while ContinuousClock.now < end {}
                send(Array("AGREE_UNIX_FD\r\n".utf8), client)
            }
            if text.hasPrefix("BEGIN") { break }
        }
    }

    private static func send(_ bytes: [UInt8], _ client: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// - Returns: whether something came; a message of the client's is shorter than the buffer.
    private static func readMessage(_ client: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        return read(client, &buffer, buffer.count) > 0
    }

    private static let greeting = Frame(
        kind: 2,
        serial: 1,
        fields: [.init(code: 5, type: "u", value: .number(1))],
        signature: "s",
        body: Frame().number(4) + Array(":1.1".utf8) + [0]
    ).bytes

    private static let ping = Frame(
        kind: 1,
        serial: 0x7FFF_FFFF,
        fields: [
            .path, .init(code: 2, type: "s", value: .text("org.freedesktop.DBus.Peer")),
            .init(code: 3, type: "s", value: .text("Ping")),
            .init(code: 7, type: "s", value: .text(":1.2")),
        ]
    ).bytes
}
