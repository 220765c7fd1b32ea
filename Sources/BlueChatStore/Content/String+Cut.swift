extension String {
    /// As many characters as fit into a number of bytes.
    package func cut(to byteCount: Int) -> String {
        guard utf8.count > byteCount else { return self }
        var result = ""
        var rest = byteCount
        for character in self {
            rest -= character.utf8.count
            if rest < 0 { break }
            result.append(character)
        }
        return result
    }
}
