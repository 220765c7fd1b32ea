internal import Glibc

/// The folder of a file, as its path names it.
func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Writes a file's folder to the disk: what was made or removed in it is so after a loss of power, too.
///
/// - Returns: 0, or -1 with `errno`.
func syncFolder(of path: String) -> Int32 {
    let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return -1 }
    let result = fsync(descriptor)
    let code = errno
    close(descriptor)
    errno = code
    return result
}
