/// How long a message may be, and in what it is counted.
struct SendLimit: Hashable, Sendable {
    /// Whether it is for the original app.
    let isOriginal: Bool

    /// The most units: UTF-16 units for the original app, else bytes of UTF-8.
    var maximum: Int { isOriginal ? 140 : 65_536 }

    /// How many more fit; negative when the text is too long.
    func rest(of text: String) -> Int {
        maximum - (isOriginal ? text.utf16.count : text.utf8.count)
    }

    /// Whether the rest is worth being shown.
    func isShown(_ rest: Int) -> Bool { isOriginal || rest < 1_000 }

    /// Why a text can't be sent; `nil` when it can.
    func refusal(_ text: String) -> String? {
        let rest = rest(of: text)
        if rest < 0 {
            let unit = isOriginal ? "characters" : "bytes"
            return "Not sent: \(-rest) \(unit) too many, \(maximum) fit."
        }
        if isOriginal, text.contains(where: \.isNewline) {
            return "Not sent: the original app takes one line at a time."
        }
        return nil
    }
}
