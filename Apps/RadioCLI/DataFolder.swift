internal import Glibc

/// Where a command keeps what belongs to its user.
public enum DataFolder {
    /// The folder of a command, as the XDG Base Directory Specification has it.
    ///
    /// - Parameter command: the command's name.
    /// - Returns: `$XDG_DATA_HOME/NAME`, else `~/.local/share/NAME`.
    public static func standard(for command: String) -> String {
        let environment = { (name: String) in getenv(name).map { String(cString: $0) } }
        if let data = environment("XDG_DATA_HOME"), data.hasPrefix("/") {
            return "\(data)/\(command)"
        }
        return "\(environment("HOME") ?? ".")/.local/share/\(command)"
    }

    /// A path that was typed where no shell reads it, in which `~` is the user's folder all the same.
    ///
    /// - Parameter path: as it was typed.
    /// - Returns: the path of the file.
    public static func path(typed path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}
