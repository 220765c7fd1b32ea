import BLE
import BlueChat
import BlueChatAccount
import BlueChatScreen
import BlueChatStore
import RadioCLI

// What the user wants.
extension ChatProgram {
    func carryOut(_ action: Action) async {
        do {
            try await tryToCarryOut(action)
        } catch is CancellationError {
            return
        } catch {
            screen.show(notice: "\(error)")
        }
        update()
    }

    private func tryToCarryOut(_ action: Action) async throws {
        let account = account
        switch action {
        case .open:
            messageCount = Self.pageCount
            verifying = nil
            try await showMessages()
        case .loadEarlier:
            messageCount += Self.pageCount
        case .send(let text, let person):
            if let friend = people[person]?.friend?.id {
                try await account.send(text, to: friend)
                call(person)
            } else {
                begin {
                    let chat = try await self.callStranger(person)
                    try await account.send(text, to: account.friend(of: chat))
                }
            }
        case .sendFile(let path, let person):
            begin {
                let file = try ChatFile(path: DataFolder.path(typed: path))
                try await account.send(file, to: await self.friend(person))
            }
        case .edit(let message, let text, let person):
            begin { try await self.change(message, to: text, with: person) }
        case .delete(let message, let person):
            begin { try await self.change(message, to: nil, with: person) }
        case .resend(let message, let person):
            guard let id = messages[message] else { return }
            try await account.resend(id, to: friend(person))
        case .markRead(let message, let person):
            guard let friend = people[person]?.friend?.id, let id = messages[message] else {
                return
            }
            try await account.markRead(with: friend, through: id)
        case .typing(let isTyping, let person):
            guard let friend = people[person]?.friend?.id else { return }
            await account.setTyping(isTyping, to: friend)
        case .call(let person):
            begin { _ = try await self.callAnybody(person) }
        case .leave(let person):
            let friend = try friend(person)
            begin { await account.leave(friend) }
        case .who:
            await account.messenger.search()
            screen.show(notice: "looking for others nearby")
        case .search(let text): try await search(text)
        case .showOwnKey: showOwnKey()
        case .add, .rename, .remove, .block, .unblock, .verify, .quit:
            try await changeFriend(action)
        }
    }

    private func changeFriend(_ action: Action) async throws {
        let store = account.store
        switch action {
        case .add(let person):
            guard let known = people[person]?.friend else {
                begin { _ = try await self.callStranger(person) }
                return
            }
            if known.state == .requestReceived {
                try await store.setState(.confirmed, of: known.id)
            }
        case .rename(let person, let name): try await store.rename(friend(person), to: name)
        case .remove(let person):
            let friend = try friend(person)
            await account.leave(friend)
            try await store.removeFriend(friend)
        case .block(let person): try await account.block(friend(person))
        case .unblock(let person): try await store.setState(.confirmed, of: friend(person))
        case .verify(let person): try await verify(person)
        default: break
        }
    }

    private func verify(_ person: String) async throws {
        guard case .key(let key) = try friend(person), let name = people[person]?.name else {
            throw ChatError(.notEncrypted, "an original has no key to compare")
        }
        if verifying == person {
            verifying = nil
            try await account.store.setVerified(true, of: .key(key))
            screen.show(page: nil)
            screen.show(notice: "'\(name)' is verified")
            return
        }
        verifying = person
        let words = account.messenger.key.verificationWords(with: key)
        let rows = stride(from: 0, to: words.count, by: 4).map { first in
            words[first..<min(first + 4, words.count)].joined(separator: "   ")
        }
        screen.show(
            page: Page(
                "Compare these with what '\(name)' sees, by voice or in person",
                lines: [""] + rows + [
                    "", "If all are the same, nobody is between you: Esc, and /verify once more.",
                    "If not, somebody pretends to be '\(name)': Esc, and /block.",
                ]
            )
        )
    }

    // MARK: - Parts

    private func friend(_ person: String) throws -> FriendID {
        guard let friend = people[person]?.friend?.id else {
            throw ChatError(.notFound, "nobody has been talked to yet: /call first")
        }
        return friend
    }

    /// Calls a friend who is near and is not called by itself.
    private func call(_ person: String) {
        guard let known = people[person], !known.isChatting, known.nearby != nil,
            case .address? = known.friend?.id
        else { return }
        begin { _ = try await self.callAnybody(person) }
    }

    private func callAnybody(_ person: String) async throws -> Chat {
        guard let known = people[person] else {
            throw ChatError(.notFound, "they are not near any more")
        }
        screen.show(notice: "calling '\(known.name)'")
        update()
        let chat = try await account.call(known.id)
        screen.show(notice: "'\(known.name)' is there")
        return chat
    }

    private func callStranger(_ person: String) async throws -> Chat {
        let chat = try await callAnybody(person)
        try await showPeople()
        return chat
    }

    private func change(_ message: String, to text: String?, with person: String) async throws {
        guard let id = messages[message] else { return }
        try await account.change(id, to: text, with: friend(person))
    }

    private func search(_ text: String) async throws {
        let found = try await account.store.search(text)
        var lines: [String] = []
        for message in found.messages {
            let name = try await account.store.friend(message.friend)?.name ?? "\(message.friend)"
            let time = (message.received ?? message.sent).local
            let author = message.direction == .outgoing ? "you to \(name)" : name
            lines.append("\(time.day) \(time.time)  \(author): \(message.text)")
        }
        if lines.isEmpty { lines = ["nothing"] }
        screen.show(page: Page("Messages with '\(text)'", lines: lines))
    }
}
