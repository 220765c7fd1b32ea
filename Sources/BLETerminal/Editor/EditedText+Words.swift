extension EditedText {
    /// Where the word ends that the cursor is in, or the next one: letters and digits.
    func wordEnd(_ direction: Edit.Direction) -> Int {
        var index = cursor
        var isInWord = false
        while let character = character(direction, of: index) {
            let isPart = character.isLetter || character.isNumber || character == "_"
            if isInWord, !isPart { break }
            isInWord = isInWord || isPart
            index += direction == .backward ? -1 : 1
        }
        return index
    }

    /// Where the line begins or ends that the cursor is in.
    func lineEnd(_ direction: Edit.Direction) -> Int {
        var index = cursor
        while let character = character(direction, of: index), !character.isNewline {
            index += direction == .backward ? -1 : 1
        }
        return index
    }

    private func character(_ direction: Edit.Direction, of index: Int) -> Character? {
        let index = direction == .backward ? index - 1 : index
        return characters.indices.contains(index) ? characters[index] : nil
    }
}
