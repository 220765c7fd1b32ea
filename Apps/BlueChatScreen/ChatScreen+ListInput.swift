internal import BLETerminal

extension ChatScreen {
    /// Takes an input while the list has the keys.
    mutating func handleInList(_ input: Input) -> [Action] {
        let page = max(1, size.rows - 6)
        guard case .key(let key) = input else { return editInList(input) }
        switch key.code {
        case .up: list.moveSelection(by: -1)
        case .down: list.moveSelection(by: 1)
        case .pageUp: list.moveSelection(by: -page)
        case .pageDown: list.moveSelection(by: page)
        case .home: list.moveSelection(by: -list.rows.count)
        case .end: list.moveSelection(by: list.rows.count)
        case .tab: toChat()
        case .escape:
            if listEditor.text.isEmpty { toChat() } else { setListText("") }
        case .enter where key.modifiers.isDisjoint(with: [.alt, .shift]): return enterInList()
        default: return editInList(input)
        }
        return []
    }

    private mutating func toChat() {
        if chat == nil { notice = "Choose somebody: Enter opens the chat." } else { focus = .chat }
    }

    private mutating func editInList(_ input: Input) -> [Action] {
        guard let edit = edit(input) else { return [] }
        let wasMade = listEditor.apply(edit)
        noticeLimits(of: edit, wasMade: wasMade, input)
        filterList()
        return []
    }

    private mutating func enterInList() -> [Action] {
        warnings = []
        if listEditor.text.hasPrefix("/") {
            switch Entry(listEditor.text) {
            case .text: notice = "Choose somebody to send this to."
            case .mistake(let text): notice = text
            case .command(let command):
                guard let actions = perform(command) else { return [] }
                _ = listEditor.enter()
                filterList()
                return actions
            }
            return []
        }
        guard let person = list.selected else {
            notice = "There is nobody to open."
            return []
        }
        setListText("")
        return open(person)
    }

    private mutating func setListText(_ text: String) {
        listEditor.text = text
        filterList()
    }

    private mutating func filterList() {
        let text = listEditor.text
        list.show(filter: text.hasPrefix("/") ? "" : text)
    }
}
