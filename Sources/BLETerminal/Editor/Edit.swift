/// One thing that a ``LineEditor`` does.
public enum Edit: Hashable, Sendable {
    /// Inserts text where the cursor is. Line feeds stay; other control characters are left out.
    case insert(String)
    /// Deletes a character before or after the cursor.
    case delete(Direction)
    /// Cuts what is before or after the cursor in its word, and keeps it for ``yank``.
    case killWord(Direction)
    /// Cuts what is before or after the cursor in its line, or the line feed there, and keeps it for ``yank``.
    case killLine(Direction)
    /// Inserts what was cut last. What was cut in one go comes back as one.
    case yank
    /// Moves by a character.
    case move(Direction)
    /// Moves by a word.
    case moveWord(Direction)
    /// Moves to the beginning or the end of the line.
    case moveLine(Direction)
    /// Moves to the beginning or the end of the text.
    case moveText(Direction)
    /// Moves up or down by a row that is seen, in the same column; from the first one or the last one on through
    /// the texts that were entered before.
    case moveRow(Direction)
    /// Takes back the last change.
    case undo
    /// Makes again what was undone.
    case redo

    /// Which way.
    public enum Direction: Hashable, Sendable {
        /// Towards the beginning.
        case backward
        /// Towards the end.
        case forward
    }

    /// Creates what an input does, by the keys of Emacs, as shells have them, and by those that say so.
    ///
    /// | key | edit |
    /// |---|---|
    /// | Ctrl-A, Home; Ctrl-E, End | beginning and end of the line; with Ctrl of the text |
    /// | Ctrl-B, Ctrl-F, arrows; with Alt or Ctrl | by a character; by a word |
    /// | Ctrl-P, Ctrl-N, arrows | by a row |
    /// | Ctrl-H, Ctrl-D, Backspace, Delete; with Alt or Ctrl | delete a character; cut a word |
    /// | Ctrl-U, Ctrl-K, Ctrl-W, Alt-D | cut to the beginning or the end of the line, a word |
    /// | Ctrl-Y; Ctrl-_; Alt-_ | yank; undo; redo |
    /// | Alt-Enter, Shift-Enter, Ctrl-J | a line feed |
    ///
    /// It is `nil` when the input does nothing, as Enter, Tab and Escape: they are for the program.
    ///
    /// - Parameter input: a key or a paste.
    public init?(_ input: Input) {
        switch input {
        case .paste(let paste): self = .insert(paste.text)
        case .key(let key):
            let isWord = !key.modifiers.isDisjoint(with: [.alt, .control])
            switch key.code {
            case .character(let character):
                guard let edit = Self.edit(character, key.modifiers) else { return nil }
                self = edit
            case .enter where !key.modifiers.isDisjoint(with: [.alt, .shift]): self = .insert("\n")
            case .backspace: self = isWord ? .killWord(.backward) : .delete(.backward)
            case .delete: self = isWord ? .killWord(.forward) : .delete(.forward)
            case .left: self = isWord ? .moveWord(.backward) : .move(.backward)
            case .right: self = isWord ? .moveWord(.forward) : .move(.forward)
            case .up: self = .moveRow(.backward)
            case .down: self = .moveRow(.forward)
            case .home: self = isWord ? .moveText(.backward) : .moveLine(.backward)
            case .end: self = isWord ? .moveText(.forward) : .moveLine(.forward)
            case .enter, .tab, .insert, .escape, .pageUp, .pageDown, .function: return nil
            }
        }
    }

    private static func edit(_ character: Character, _ modifiers: Key.Modifiers) -> Edit? {
        if modifiers.contains([.alt, .control]) { return nil }
        if modifiers.contains(.control) { return control[character] }
        return modifiers.contains(.alt) ? alt[character] : .insert(String(character))
    }

    private static let control: [Character: Edit] = [
        "a": .moveLine(.backward), "e": .moveLine(.forward), "b": .move(.backward),
        "f": .move(.forward), "p": .moveRow(.backward), "n": .moveRow(.forward),
        "h": .delete(.backward), "d": .delete(.forward), "u": .killLine(.backward),
        "k": .killLine(.forward), "w": .killWord(.backward), "y": .yank, "_": .undo,
        "j": .insert("\n"),
    ]

    private static let alt: [Character: Edit] = [
        "b": .moveWord(.backward), "f": .moveWord(.forward), "d": .killWord(.forward),
        "_": .redo, "<": .moveText(.backward), ">": .moveText(.forward),
    ]
}
