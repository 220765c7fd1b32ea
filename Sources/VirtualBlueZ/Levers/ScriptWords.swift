internal import BLEDBus

/// The words of a script's line, and what they stand for.
enum ScriptWords {
    /// Parts a line at its blanks, but for what stands in double quotes.
    static func split(_ line: String) throws(FaultScriptError) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in line {
            switch character {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case _ where character.isWhitespace && !isQuoted:
                if let word { words.append(word) }
                word = nil
            default:
                word = (word ?? "") + String(character)
            }
        }
        guard !isQuoted else { throw FaultScriptError("a quotation has no end: \(line)") }
        if let word { words.append(word) }
        return words
    }

    /// The arguments of a lever, each of its type.
    static func values(_ words: [String], of lever: Lever) throws(FaultScriptError) -> [Value] {
        guard words.count == lever.arguments.count else {
            let number = words.count == 1 ? "1 argument" : "\(words.count) arguments"
            throw FaultScriptError("\(lever.usage) can't have \(number)")
        }
        return try zip(words, lever.arguments).map { (pair) throws(FaultScriptError) in
            guard let value = value(pair.0, pair.1.type) else {
                throw FaultScriptError(
                    "\"\(pair.0)\" is no \(pair.1.name) for \(lever.usage)"
                )
            }
            return value
        }
    }

    private static func value(_ word: String, _ type: Signature) -> Value? {
        switch type {
        case "u": UInt32(word).map(Value.uint32)
        case "d": Double(word).map(Value.double)
        case "b": Bool(word).map(Value.bool)
        default: .string(word)
        }
    }
}
