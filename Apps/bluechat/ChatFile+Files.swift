import BlueChat
import BlueChatStore
import Glibc
import RadioCLI

extension ChatFile {
    /// How many bytes an extension has at most, with its dot.
    private static let maximumExtensionByteCount = 32

    /// Reads a file that is to be sent.
    ///
    /// - Parameter path: which.
    /// - Throws: ``FileError``, also for what is no file: a pipe or a terminal may have nothing to read for ever; `ChatError`.
    init(path: String) throws {
        // Nor is anybody waited for who writes to a pipe.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw FileError(.noInput, "cannot read '\(path)'") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw FileError(.noInput, "cannot read '\(path)'") }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileError(.noInput, "cannot read '\(path)'", EISDIR)
        default: throw FileError(.noInput, "'\(path)' is not a file", 0)
        }
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let added = bytes.withUnsafeMutableBytes { buffer in
                read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if added < 0 && errno == EINTR { continue }
            guard added >= 0 else { throw FileError(.noInput, "cannot read '\(path)'") }
            if added == 0 { break }
            count += added
        }
        guard count <= Self.maximumByteCount else {
            throw ChatError(
                .tooLong,
                "'\(path)' has more than the \(Self.maximumByteCount) bytes that a file may have"
            )
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        try self.init(name: name, bytes: Array(bytes.prefix(count)))
    }

    /// Makes a folder for files that come, and those in which it is, and looks that files can be made in it.
    ///
    /// - Parameter folder: need not be there.
    /// - Throws: ``FileError``.
    static func makeFolder(_ folder: String) throws {
        var made = folder.hasPrefix("/") ? "/" : ""
        for name in folder.split(separator: "/") {
            made += name
            guard mkdir(made, 0o700) == 0 || errno == EEXIST else {
                throw FileError(.cannotCreate, "cannot make the folder '\(made)'")
            }
            made += "/"
        }
        // A path of nothing is no folder, and a file has none within it.
        let within = folder.isEmpty ? "" : "\(folder)/."
        guard access(within, W_OK | X_OK) == 0 else {
            throw FileError(.cannotCreate, "cannot keep files in '\(folder)'")
        }
    }

    /// Writes a file that has come, under a name that no other one has.
    ///
    /// - Parameter folder: is made if it is not there.
    /// - Returns: the file's path.
    /// - Throws: ``FileError``.
    func save(in folder: String) throws -> String {
        try Self.makeFolder(folder)
        for number in 1...1_000 {
            let path = "\(folder)/\(numbered(number))"
            // Nothing that is there is overwritten, and no link is followed.
            let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if file < 0 && errno == EEXIST { continue }
            guard file >= 0 else { throw FileError(.cannotCreate, "cannot write '\(path)'") }
            defer { close(file) }
            try write(to: file, path)
            return path
        }
        throw FileError(.cannotCreate, "there are too many files '\(name)' in '\(folder)'", 0)
    }

    /// The name, or as much of it as a system takes; of further files with the number before the extension.
    private func numbered(_ number: Int) -> String {
        // A name that begins with a dot would be hidden, one with a dash taken for an option.
        let shown = name.hasPrefix(".") || name.hasPrefix("-") ? "_" + name : name
        var dot = shown.lastIndex(of: ".") ?? shown.endIndex
        if shown[dot...].utf8.count > Self.maximumExtensionByteCount { dot = shown.endIndex }
        let end = (number > 1 ? "-\(number)" : "") + String(shown[dot...])
        return String(shown[..<dot]).cut(to: Self.maximumNameByteCount - end.utf8.count) + end
    }

    private func write(to file: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let error = FileError(.cannotCreate, "cannot write '\(path)'")
                unlink(path)
                throw error
            }
            rest = rest.dropFirst(count)
        }
    }
}

/// A file could not be read or written.
struct FileError: CommandFailure, CustomStringConvertible {
    let exitStatus: ExitStatus
    let description: String

    var codeName: String { "file" }

    init(_ status: ExitStatus, _ attempt: String, _ code: Int32 = errno) {
        exitStatus = status
        description = code == 0 ? attempt : "\(attempt): \(String(cString: strerror(code)))"
    }
}
