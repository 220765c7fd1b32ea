import ArgumentParser
import Glibc

/// A file with a script of faults.
enum ScriptFile {
    /// What is in a file.
    ///
    /// - Throws: `ValidationError` for one that can't be read, or is no text.
    static func text(of path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Self.error(path, errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
            bytes += buffer.prefix(count)
        }
        guard ferror(file) == 0 else { throw Self.error(path, errno) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("\(path) is no text in UTF-8.")
        }
        return text
    }

    private static func error(_ path: String, _ code: Int32) -> ValidationError {
        ValidationError("\(path): \(String(cString: strerror(code)))")
    }
}
