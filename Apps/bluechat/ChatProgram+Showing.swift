import BLE
import BLEQRCode
import BLEStorage
import BlueChat
import BlueChatAccount
import BlueChatScreen
import BlueChatStore
import Glibc

// What the account knows, as the screen shows it.
extension ChatProgram {
    func show(_ event: ChatAccountEvent) {
        switch event {
        case .chat(let event): show(event)
        case .store(.keyChanged(let old, _)):
            begin { try await self.warn(ofNewKey: old) }
        case .store: break
        case .postponed(_, _, let error): screen.show(notice: "a text waits: \(error)")
        case .callFailed: return
        case .notKept(let error): screen.show(warning: "\(error)")
        }
        update()
    }

    private func show(_ event: ChatEvent) {
        switch event {
        case .becameReady: screen.show(radioState: nil)
        case .becameUnready(let error), .searchInterrupted(let error):
            screen.show(radioState: "\(error)")
        case .failedToReceive(let error, _), .missed(let error):
            screen.show(warning: "\(error)")
        case .receivedMessage(let message, let chat):
            guard case .file(let file) = message.content else { return }
            let folder = files
            begin {
                let path = try file.save(in: folder)
                await self.say("\(chat.title) has sent '\(file.name)'; it is in \(path)")
            }
        case .refusedCaller(let peer):
            screen.show(notice: "\(peer) has called too, and was disconnected: a chat is on")
        case .ended(let chat, let error?):
            screen.show(notice: "the chat with \(chat.title) ended: \(error)")
        default: break
        }
    }

    func say(_ notice: String) { screen.show(notice: notice) }

    private func warn(ofNewKey friend: FriendID) async throws {
        let name = try await account.store.friend(friend)?.name ?? "\(friend)"
        screen.show(
            warning: "'\(name)' has another key now, or somebody uses their name: "
                + "compare with /verify before you say anything"
        )
    }

    // MARK: - People

    func showPeople() async throws {
        let known = people
        let everybody = try await account.people()
        people = Dictionary(everybody.map { ($0.shownID, $0) }) { $1 }
        for person in everybody {
            // Whoever was nearby is somebody now.
            guard person.friend != nil, let nearby = person.nearby else { continue }
            let old = ChatPerson.ID.nearby(nearby.id).shown
            if known[old] != nil, people[old] == nil {
                screen.identify(old, as: person.shownID)
            }
        }
        screen.show(people: everybody.map(Person.init))
    }

    // MARK: - Messages

    func showMessages() async throws {
        guard let id = screen.openPerson, let person = people[id] else { return }
        guard let friend = person.friend?.id else {
            screen.show(messages: [], hasEarlier: false, of: id)
            return
        }
        var found: [StoredMessage] = []
        var hasEarlier = true
        while found.count < messageCount, hasEarlier {
            let page = try await account.store.messages(
                with: friend,
                before: found.first?.id,
                count: messageCount - found.count
            )
            found = page.messages + found
            hasEarlier = page.hasMore
        }
        messages = Dictionary(found.map { ("\($0.id)", $0.id) }) { $1 }
        screen.show(
            messages: found.map { Message($0, isChatting: person.isChatting) },
            hasEarlier: hasEarlier,
            of: id
        )
    }

    // MARK: - Pages

    func showOwnKey() {
        let key = account.messenger.key
        do {
            let digits = key.bytes.map { String($0, radix: 16, uppercase: true).leftPadded }
            let symbol = try QRSymbol("BLUECHAT:" + digits.joined())
            screen.show(
                page: Page(
                    "Your key: \(Self.shownKey(key))",
                    lines: symbol.lines(),
                    isQRCode: true
                )
            )
        } catch {
            screen.show(notice: "the key cannot be shown: \(error)")
        }
    }

    /// As people read it.
    static func shownKey(_ key: ChatKey) -> String {
        let digits = Array("\(key)")
        return stride(from: 0, to: min(digits.count, 16), by: 4)
            .map { String(digits[$0..<min($0 + 4, digits.count)]) }.joined(separator: " ")
    }
}

extension ChatPerson {
    var shownID: String { id.shown }
}

extension ChatPerson.ID {
    /// The screen's identifier.
    var shown: String {
        switch self {
        case .friend(let friend): "friend \(friend)"
        case .nearby(let peer): "nearby \(peer)"
        }
    }
}

extension Person {
    init(_ person: ChatPerson) {
        let friend = person.friend
        let kind: Kind =
            switch friend?.state {
            case .confirmed?: .friend
            case .requested?: .requested
            case .requestReceived?: .requestReceived
            case .blocked?: .blocked
            case nil: .stranger
            }
        var isOriginal = false
        if case .address? = friend?.id { isOriginal = true }
        self.init(
            id: person.shownID,
            name: person.name,
            kind: kind,
            isNear: person.nearby != nil || person.isChatting,
            signalStrength: person.nearby?.rssi.rawValue,
            isChatting: person.isChatting,
            isVerified: friend?.isVerified == true,
            isOriginal: isOriginal,
            hasChangedKey: friend?.predecessor != nil && friend?.isVerified == false,
            unreadCount: person.unreadCount,
            lastText: person.last.map { $0.file.map { "[\($0.name)]" } ?? $0.text },
            isTyping: person.isTyping
        )
    }
}

extension Message {
    init(_ message: StoredMessage, isChatting: Bool) {
        let state: State? =
            switch message.state {
            case .waiting?: isChatting ? .sending : .waiting
            case .sending?: .sending
            case .sent?: .sent
            case .delivered?: .delivered
            case .read?: .read
            case .failed(let reason)?: .failed(reason: reason)
            case nil: nil
            }
        // By the own clock: others' may be wrong.
        let time = (message.received ?? message.sent).local
        self.init(
            id: "\(message.id)",
            isOwn: message.direction == .outgoing,
            text: message.text,
            file: message.file.map { File(name: $0.name, byteCount: $0.byteCount) },
            time: time.time,
            day: time.day,
            state: state,
            isEdited: message.edited != nil,
            isDeleted: message.deleted != nil
        )
    }
}

extension WallTime {
    /// In the time zone of this machine.
    var local: (day: String, time: String) {
        var seconds = time_t(clamping: millisecondsSince1970 / 1_000)
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return ("", "") }
        return (Self.text("%A, %-d %B %Y", parts), Self.text("%H:%M", parts))
    }

    private static func text(_ format: String, _ parts: tm) -> String {
        var parts = parts
        var buffer = [CChar](repeating: 0, count: 64)
        let count = strftime(&buffer, buffer.count, format, &parts)
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension String {
    fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
