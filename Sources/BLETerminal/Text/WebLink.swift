/// A link to a page in a text.
public struct WebLink: Hashable, Sendable {
    /// Where it stands in the text.
    public let range: Range<String.Index>

    /// Where it leads, in visible ASCII characters: what is not is encoded with `%`.
    public let target: String

    /// Creates a link.
    ///
    /// - Parameters:
    ///   - range: where it stands in the text.
    ///   - target: where it leads.
    public init(range: Range<String.Index>, target: String) {
        self.range = range
        self.target = target
    }
}

/// Finds the links in text that people write.
public enum WebLinks {
    /// The links of a text, in their order.
    ///
    /// A link begins with `http://` or `https://` where a word begins, and ends before white space, a quotation
    /// mark or an angle bracket. What ends a sentence does not belong to it, nor a closing bracket that it does
    /// not open. One of more than 2,048 bytes is none.
    ///
    /// - Parameter text: any text.
    /// - Returns: the links, none inside another.
    public static func find(in text: String) -> [WebLink] {
        var links: [WebLink] = []
        var index = text.startIndex
        var isInWord = false
        while index < text.endIndex {
            let character = text[index]
            if !isInWord, character == "h" || character == "H",
                let range = link(at: index, in: text)
            {
                let target = encoded(text[range])
                if target.utf8.count <= maximumByteCount {
                    links.append(WebLink(range: range, target: target))
                }
                index = range.upperBound
            } else {
                isInWord = character.isLetter || character.isNumber
                index = text.index(after: index)
            }
        }
        return links
    }

    private static let maximumByteCount = 2_048
    private static let schemes = ["https://", "http://"]

    /// The range of the link that begins there.
    private static func link(at start: String.Index, in text: String) -> Range<String.Index>? {
        let rest = text[start...]
        let scheme = schemes.first { scheme in
            rest.prefix(scheme.count).lowercased() == scheme
        }
        guard let scheme else { return nil }
        let host = text.index(start, offsetBy: scheme.count)
        guard host < text.endIndex else { return nil }
        guard text[host].isLetter || text[host].isNumber || text[host] == "[" else { return nil }
        let end = text[host...].firstIndex { !isPart($0) } ?? text.endIndex
        return start..<trimmed(text[host..<end])
    }

    private static func isPart(_ character: Character) -> Bool {
        if character.isWhitespace || "<>\"`“”«»␛␤".contains(character) { return false }
        return character.displayWidth > 0
    }

    /// Where a link ends when the punctuation of the sentence around it is left out.
    private static func trimmed(_ text: Substring) -> String.Index {
        let brackets: [Character: Character] = [")": "(", "]": "[", "}": "{"]
        var balance: [Character: Int] = [:]
        for character in text {
            if let opening = brackets[character] {
                balance[opening, default: 0] -= 1
            } else if "([{".contains(character) {
                balance[character, default: 0] += 1
            }
        }
        var rest = text
        while let last = rest.last {
            if let opening = brackets[last] {
                guard balance[opening, default: 0] < 0 else { break }
                balance[opening, default: 0] += 1
            } else if !".,;:!?'*_~…".contains(last) {
                break
            }
            rest.removeLast()
        }
        return rest.endIndex
    }

    /// A link in visible ASCII characters.
    static func encoded(_ text: some StringProtocol) -> String {
        var result = ""
        for byte in text.utf8 {
            if (0x21...0x7E).contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return result
    }
}
