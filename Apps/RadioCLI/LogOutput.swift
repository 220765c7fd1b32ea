/// Where a command logs: each entry is a printable line, as peers have a say in what is logged.
struct LogOutput: TextOutputStream, Sendable {
    let file: Int32

    func write(_ entry: String) {
        let scalars = entry.unicodeScalars
        let line = scalars.last == "\n" ? scalars.dropLast() : scalars[...]
        Console.write(String(line).printable + "\n", to: file)
    }
}
