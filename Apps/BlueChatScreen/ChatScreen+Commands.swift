internal import BLETerminal

extension ChatScreen {
    /// Who commands are about that name nobody: who is chosen in the list, or whose chat is open.
    var target: Person? { focus == .list ? list.selected : chat?.person }

    /// Does what a command says.
    ///
    /// - Parameter command: what.
    /// - Returns: what the program is to do; `nil` when it can't be done, and a notice says why.
    mutating func perform(_ command: Command) -> [Action]? {
        switch command {
        case .who:
            if !Frame.isWide(size) { focus = .list }
            return [.who]
        case .friends:
            focus = .list
            list.selectFirst(.friend)
            let friends = list.people.filter { $0.kind == .friend }
            notice = "\(friends.count) friends, \(friends.count(where: \.isNear)) of them near."
            return []
        case .people(let command, let name): return perform(command, name)
        case .rename(let name):
            guard let person = target else { return refuse("Choose somebody first.") }
            return [.rename(person: person.id, to: name)]
        case .search(let text): return [.search(text)]
        case .me: return [.showOwnKey]
        case .help:
            show(page: .help)
            return []
        case .quit: return [.quit]
        case .file(let path): return inChat { $0.sendFile(path) }
        case .edit(let text): return inChat { $0.editLast(text) }
        case .delete: return inChat { $0.deleteLast() }
        case .resend: return inChat { $0.resend() }
        }
    }

    private mutating func refuse(_ text: String) -> [Action]? {
        notice = text
        return nil
    }

    // MARK: - People

    private mutating func perform(_ command: PersonCommand, _ name: String?) -> [Action]? {
        let person: Person
        switch find(name, for: command) {
        case .success(let found): person = found
        case .failure(let refusal): return refuse(refusal.text)
        }
        switch command {
        case .call: return [.call(person: person.id)]
        case .leave: return [.leave(person: person.id)]
        case .add: return [.add(person: person.id)]
        case .block: return [.block(person: person.id)]
        case .unblock: return [.unblock(person: person.id)]
        case .verify: return [.verify(person: person.id)]
        case .remove:
            question = Question(removing: person)
            return []
        }
    }

    private struct Refusal: Error {
        let text: String
    }

    /// The one person who has the name, or else a name that begins so, and with whom it can be done.
    private func find(_ name: String?, for command: PersonCommand) -> Result<Person, Refusal> {
        func choose(_ people: [Person], _ text: String) -> Result<Person, Refusal> {
            let possible = people.filter { command.refusal($0) == nil }
            if possible.count == 1 { return .success(possible[0]) }
            let refusal = possible.isEmpty ? people.first.flatMap(command.refusal) : nil
            return .failure(Refusal(text: refusal ?? text))
        }
        guard let name else { return choose(target.map { [$0] } ?? [], "Choose somebody first.") }
        let wanted = name.lowercased()
        let named = list.people.map { ($0, $0.shownName(1_000).lowercased()) }
        var found = named.filter { $0.1 == wanted }
        if found.isEmpty { found = named.filter { $0.1.hasPrefix(wanted) } }
        let shown = name.fitted(24)
        if found.isEmpty { return .failure(Refusal(text: "Nobody is called \(shown).")) }
        return choose(
            found.map(\.0),
            "\(found.count) people are called \(shown): choose one in the list."
        )
    }

    // MARK: - Messages

    private mutating func inChat(_ body: (inout ChatScreen) -> [Action]?) -> [Action]? {
        chat == nil ? refuse("Open a chat first.") : body(&self)
    }

    private mutating func sendFile(_ path: String) -> [Action]? {
        guard let person = chat?.person else { return nil }
        if person.isOriginal { return refuse("The original app takes no files.") }
        return [.sendFile(path: path, person: person.id)]
    }

    private mutating func editLast(_ text: String?) -> [Action]? {
        guard let chat, let last = lastOwn() else { return nil }
        if last.file != nil { return refuse("Your last message is a file.") }
        guard let text else {
            // From the list: what was being written comes back with Up.
            if focus == .list { _ = self.chat?.editor.enter() }
            self.chat?.editor.text = "/edit \(last.text)"
            focus = .chat
            return []
        }
        if let refusal = SendLimit(isOriginal: false).refusal(text) { return refuse(refusal) }
        return [.edit(message: last.id, text: text, person: chat.person.id)]
    }

    private mutating func deleteLast() -> [Action]? {
        guard let chat, let last = lastOwn() else { return nil }
        question = Question(deleting: last, of: chat.person)
        return []
    }

    /// The last own message that can be changed.
    private mutating func lastOwn() -> Message? {
        guard let chat else { return nil }
        if chat.person.isOriginal {
            notice = "The original app keeps what it has: nothing can be changed."
            return nil
        }
        let last = chat.messages.last { $0.isOwn && !$0.isDeleted }
        if last == nil { notice = "You have written nothing here yet." }
        return last
    }

    private mutating func resend() -> [Action]? {
        guard let chat else { return nil }
        let failed = chat.messages.filter(\.hasFailed)
        if failed.isEmpty { return refuse("Nothing has failed here.") }
        return failed.map { .resend(message: $0.id, person: chat.person.id) }
    }
}
