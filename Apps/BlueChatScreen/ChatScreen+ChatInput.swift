internal import BLETerminal

extension ChatScreen {
    /// Takes an input while the chat has the keys.
    mutating func handleInChat(_ input: Input) -> [Action] {
        guard case .key(let key) = input, let editor = chat?.editor else {
            return editInChat(input)
        }
        let page = max(1, (chat?.height ?? 0) - 1)
        switch (key.code, key.modifiers) {
        case (.tab, _): focus = .list
        case (.escape, _):
            if chat?.end == .newest { focus = .list } else { chat?.scrollToEnd() }
        case (.pageUp, _): chat?.scroll(by: -page)
        case (.pageDown, _): chat?.scroll(by: page)
        case (.up, .shift): chat?.scroll(by: -1)
        case (.down, .shift): chat?.scroll(by: 1)
        case (.home, []) where editor.text.isEmpty: chat?.scrollToStart()
        case (.end, []) where editor.text.isEmpty: chat?.scrollToEnd()
        case (.up, .alt): return openNext(-1)
        case (.down, .alt): return openNext(1)
        case (.character("r"), .control): return perform(.resend) ?? []
        case (.enter, let held) where held.isDisjoint(with: [.alt, .shift]): return enterInChat()
        default: return editInChat(input)
        }
        return []
    }

    private mutating func editInChat(_ input: Input) -> [Action] {
        guard let edit = edit(input), let wasMade = chat?.editor.apply(edit) else { return [] }
        noticeLimits(of: edit, wasMade: wasMade, input)
        return updateTyping()
    }

    /// Opens the chat of who is next in the list.
    private mutating func openNext(_ step: Int) -> [Action] {
        if let id = chat?.person.id { list.select(id) }
        list.moveSelection(by: step)
        return list.selected.map { open($0) } ?? []
    }

    private mutating func enterInChat() -> [Action] {
        warnings = []
        guard let chat else { return [] }
        let actions: [Action]?
        switch Entry(chat.editor.text) {
        case .text(let text): actions = send(text, to: chat.person)
        case .command(let command): actions = perform(command)
        case .mistake(let text):
            notice = text
            return []
        }
        guard let actions else { return [] }
        // A command may have left a text to go on with.
        if self.chat?.editor.text == chat.editor.text { _ = self.chat?.editor.enter() }
        return actions + updateTyping()
    }

    private mutating func send(_ text: String, to person: Person) -> [Action]? {
        guard text.contains(where: { !$0.isWhitespace }) else { return nil }
        if person.kind == .blocked {
            notice = "\(person.shownName()) is blocked: /unblock first."
            return nil
        }
        if let refusal = SendLimit(isOriginal: person.isOriginal).refusal(text) {
            notice = refusal
            return nil
        }
        chat?.firstUnreadID = nil
        chat?.scrollToEnd()
        return [.send(text, to: person.id)]
    }

    // MARK: - Typing

    /// Tells when the user begins to write, and has ended.
    private mutating func updateTyping() -> [Action] {
        guard let chat else { return [] }
        let text = chat.editor.text
        let isCommand = text.hasPrefix("/") && !text.hasPrefix("//")
        let isTyping = !text.isEmpty && !isCommand
        guard isTyping else { return endTyping() }
        guard typingID == nil, chat.person.isChatting, !chat.person.isOriginal else { return [] }
        typingID = chat.person.id
        return [.typing(true, person: chat.person.id)]
    }

    mutating func endTyping() -> [Action] {
        guard let id = typingID else { return [] }
        typingID = nil
        return [.typing(false, person: id)]
    }
}
