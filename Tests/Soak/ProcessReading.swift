import CSoak
import Glibc

/// What the system says that a process uses.
struct ProcessReading {
    /// Memory in the machine; 0 when the process is gone.
    let residentKilobytes: Int
    let descriptors: Int
    let threads: Int

    init(of process: pid_t) {
        residentKilobytes = Self.residentKilobytes(of: process)
        // What looks at processes is not counted: this, and the clock.
        descriptors = Self.entries(of: "/proc/\(process)/fd").count { name in
            var target = [CChar](repeating: 0, count: 16)
            readlink("/proc/\(process)/fd/\(name)", &target, target.count - 1)
            return strncmp(target, "/proc/", 6) != 0
        }
        threads = Self.entries(of: "/proc/\(process)/task").count
    }

    private static func residentKilobytes(of process: pid_t) -> Int {
        guard let file = fopen("/proc/\(process)/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let words = String(
                decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
                as: UTF8.self
            )
            .split(whereSeparator: \.isWhitespace)
            if words.first == "VmRSS:", words.count > 1 { return Int(words[1]) ?? 0 }
        }
        return 0
    }

    private static func entries(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}

/// Memory of this process that was asked for and not given back.
func heapKilobytes() -> Int { soak_heap_in_use() / 1024 }
