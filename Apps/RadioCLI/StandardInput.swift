internal import BLE
internal import Dispatch
internal import Glibc

/// What is typed, or comes through a pipe.
public enum StandardInput {
    private static let queue = DispatchQueue(label: "reads standard input")

    /// The lines, without their ends, for one reader, who may be cancelled while none comes.
    ///
    /// - Parameter maximumByteCount: how many bytes of a line are kept.
    /// - Returns: the lines, each read when it is asked for.
    public static func lines(
        maximumByteCount: Int
    ) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream {
            let line = Promise<String?>()
            queue.async { line.fulfil(.success(readLine(maximumByteCount: maximumByteCount))) }
            return try await line.wait()
        }
    }

    /// A line, without its end; blocks.
    ///
    /// - Parameter maximumByteCount: how many bytes of it are kept.
    /// - Returns: the line; `nil` when there is none to come.
    public static func readLine(maximumByteCount: Int) -> String? {
        var line: [UInt8] = []
        var hasBegun = false
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { break }
            hasBegun = true
            guard byte != UInt8(ascii: "\n") else { break }
            if line.count < maximumByteCount { line.append(byte) }
        }
        guard hasBegun else { return nil }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}
