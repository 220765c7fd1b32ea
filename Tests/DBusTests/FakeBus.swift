import Dispatch
import Glibc

/// A socket that lets one client authenticate, sends it some bytes and hangs up.
final class FakeBus: Sendable {
    let address: String

    init(
        replyingToAuthentication reply: String = "OK 0123456789abcdef0123456789abcdef\r\n",
        sending frame: [UInt8]
    ) throws {
        let name = "fake-bus-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        address = "unix:abstract=\(name)"
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var place = sockaddr_un()
        place.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &place.sun_path) { $0[1...].copyBytes(from: Array(name.utf8)) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
        let status = withUnsafeBytes(of: &place) { bytes in
            bind(listener, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), size)
        }
        guard status == 0, listen(listener, 1) == 0 else { throw Failure(errno: errno) }
        DispatchQueue.global().async { Self.serve(listener, reply, frame) }
    }

    struct Failure: Error {
        let errno: Int32
    }

    private static func serve(_ listener: Int32, _ reply: String, _ frame: [UInt8]) {
        let client = accept(listener, nil, nil)
        close(listener)
        defer { close(client) }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(client, &byte, 1) == 1 {
            line.append(byte)
            guard byte == UInt8(ascii: "\n") else { continue }
            let text = String(decoding: line, as: UTF8.self)
            line = []
            if text.contains("AUTH") { _ = send(client, reply, reply.utf8.count, 0) }
            if text.contains("NEGOTIATE") {
                let agreement = "AGREE_UNIX_FD\r\n"
                _ = send(client, agreement, agreement.utf8.count, 0)
            }
            if text.hasPrefix("BEGIN") { break }
        }
        _ = send(client, frame, frame.count, Int32(MSG_NOSIGNAL))
    }
}
