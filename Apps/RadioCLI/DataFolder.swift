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
}
