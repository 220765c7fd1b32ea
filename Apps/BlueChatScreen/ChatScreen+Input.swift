package import BLETerminal

extension ChatScreen {
    /// Takes a key or a paste.
    ///
    /// - Parameter input: what was pressed or pasted.
    /// - Returns: what the program is to do, in this order.
    package mutating func handle(_ input: Input) -> [Action] {
        if input == .key(Key("c", .control)) { return [.quit] }
        if question != nil { return answer(input) }
        if page != nil {
            if case .key(let key) = input, page?.handle(key) == true { page = nil }
            return []
        }
        if input == .key(Key(.escape)), notice != nil || !warnings.isEmpty {
            (notice, warnings) = (nil, [])
            return []
        }
        notice = nil
        if input == .key(Key(.function(1))) {
            show(page: .help)
            return []
        }
        return focus == .chat && chat != nil ? handleInChat(input) : handleInList(input)
    }

    /// Opens a chat; what was written in another one is kept.
    mutating func open(_ person: Person) -> [Action] {
        focus = .chat
        list.select(person.id)
        guard chat?.person.id != person.id else { return [] }
        let ended = endTyping()
        if let chat { drafts.keep(chat.editor, of: chat.person.id) }
        let editor = drafts.take(of: person.id) ?? LineEditor(size: size, limit: Self.inputLimit)
        chat = OpenChat(person, editor: editor)
        return ended + [.open(person: person.id)]
    }

    private mutating func answer(_ input: Input) -> [Action] {
        guard case .key(let key) = input, let action = question?.action else { return [] }
        guard key.modifiers.isDisjoint(with: [.alt, .control]) else { return [] }
        switch key.code {
        case .character("y"), .character("Y"):
            question = nil
            guard case .remove(let person) = action else { return [action] }
            return close(person) + [action]
        case .character("n"), .character("N"), .escape:
            question = nil
        default: break
        }
        return []
    }

    /// Closes the chat with somebody who is to be forgotten, with what was written in it.
    private mutating func close(_ person: String) -> [Action] {
        _ = drafts.take(of: person)
        guard chat?.person.id == person else { return [] }
        let ended = endTyping()
        (chat, focus) = (nil, .list)
        return ended
    }

    /// What an input does to a text: towers of marks and the like are not taken.
    func edit(_ input: Input) -> Edit? {
        guard case .paste(let paste) = input else { return Edit(input) }
        let text = paste.text.reduce(into: "") { text, character in
            text.unicodeScalars.append(contentsOf: character.unicodeScalars.prefix(32))
        }
        return .insert(text)
    }

    /// Says what became of an edit that could not be made as a whole.
    mutating func noticeLimits(of edit: Edit, wasMade: Bool, _ input: Input) {
        if case .paste(let paste) = input, paste.isCut {
            notice = "What was pasted is too long: not all of it is here."
        } else if case .insert(let text) = edit, !wasMade, !text.isEmpty {
            notice = "The input is full."
        }
    }
}
