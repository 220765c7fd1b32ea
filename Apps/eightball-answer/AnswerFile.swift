import ArgumentParser
import Glibc
import MagicEightBall

/// Answers of a file's, one a line.
struct AnswerFile: Sendable {
    /// What a file may have; more than two thousand of the longest answers.
    private static let maximumByteCount = 1 << 20

    private let answers: [Answer]

    /// The answers of a file; empty lines are none.
    ///
    /// - Parameter path: the file's path.
    /// - Throws: `ValidationError` when it cannot be read, is longer than 1 MiB, has no answer,
    ///   or one that cannot be sent.
    init(path: String) throws {
        guard let file = fopen(path, "r") else { throw Self.unreadable(path, errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer.prefix(count)
            guard bytes.count <= Self.maximumByteCount else {
                throw ValidationError("'\(path)' is longer than \(Self.maximumByteCount) bytes")
            }
        }
        guard ferror(file) == 0 else { throw Self.unreadable(path, errno) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("'\(path)' is not UTF-8")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        answers = try lines.enumerated().filter { !$1.isEmpty }.map { index, line in
            do {
                return try Answer(String(line))
            } catch {
                throw ValidationError("line \(index + 1) of '\(path)': \(error)")
            }
        }
        guard !answers.isEmpty else { throw ValidationError("'\(path)' has no answer in it") }
    }

    private static func unreadable(_ path: String, _ number: Int32) -> ValidationError {
        ValidationError("'\(path)' cannot be read: \(String(cString: strerror(number)))")
    }

    /// Gives a random one.
    var source: AnswerSource {
        AnswerSource { [answers] _, _ in answers.randomElement() ?? Answer(.replyHazyTryAgain) }
    }
}
