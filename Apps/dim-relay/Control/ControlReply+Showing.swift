import Glibc
import RadioCLI

extension ControlReply {
    /// Prints what has come.
    ///
    /// - Parameters:
    ///   - console: where.
    ///   - showsNumbers: whether people see messages' numbers.
    ///   - wantsQR: whether a link's QR code is printed also where nobody looks at it.
    func show(on console: Console, numbers showsNumbers: Bool = false, qr wantsQR: Bool = false) {
        switch self {
        case .link(let address, let link, let fingerprint):
            console.event([
                "event": "link", "address": .string(address), "link": .string(link),
                "fingerprint": .string(fingerprint),
            ])
            guard !console.isJSON else { return }
            QRText.show(link, isWanted: wantsQR, on: console)
            // The link alone, so that a shell's $(…) has no more than it.
            console.result(link)
            console.outcome("fingerprint  \(fingerprint)")
        case .added(let contact, let fingerprint):
            console.event([
                "event": "added", "contact": .string(contact),
                "fingerprint": .string(fingerprint),
            ])
            guard !console.isJSON else { return }
            console.result("\(contact) is a contact now; fingerprint  \(fingerprint)")
        case .contact(let address, let fingerprint, let isVerified, let unreadCount):
            console.event([
                "event": "contact", "contact": .string(address),
                "fingerprint": .string(fingerprint), "verified": .integer(isVerified ? 1 : 0),
                "unread": .integer(unreadCount),
            ])
            guard !console.isJSON else { return }
            let facts = [
                isVerified ? "verified" : nil, unreadCount > 0 ? "\(unreadCount) unread" : nil,
            ]
            console.result(
                ([address, fingerprint] + facts.compactMap { $0 }).joined(separator: "  ")
            )
        case .removed(let contact):
            console.event(["event": "removed", "contact": .string(contact)])
            if !console.isJSON { console.result("\(contact) is no contact any more") }
        case .deleted(let contact, let id):
            console.event([
                "event": "deleted", "contact": .string(contact), "id": .integer(Int(id)),
            ])
            if !console.isJSON { console.result("message \(id) with \(contact) is deleted here") }
        case .cleared(let contact):
            console.event(["event": "cleared", "contact": .string(contact)])
            if !console.isJSON { console.result("all messages with \(contact) are deleted here") }
        case .sent(let contact, let id):
            console.event(["event": "sent", "to": .string(contact), "id": .integer(Int(id))])
            console.outcome("sent to \(contact)")
        case .delivered(let contact, let id):
            console.event(["event": "delivered", "to": .string(contact), "id": .integer(Int(id))])
            console.outcome("delivered to \(contact)")
        case .message(let message): message.show(on: console, numbers: showsNumbers)
        case .neighbour(let device, let name, let rssi, let isHeard, let hears):
            console.event([
                "event": "neighbour", "device": .string(device), "name": .string(name),
                "rssi": rssi.map { .integer($0) }, "heard": .integer(isHeard ? 1 : 0),
                "hears": hears.map { .integer($0 ? 1 : 0) },
            ])
            guard !console.isJSON else { return }
            let facts = [
                rssi.map { "\($0) dBm" }, isHeard ? "heard" : nil, hears == true ? "hears us" : nil,
            ]
            console.result(
                ([name.isEmpty ? "(no name)" : name, device] + facts.compactMap { $0 })
                    .joined(separator: "  ")
            )
        case .counters(let counters): counters.show(on: console)
        case .done, .failed: break
        }
    }
}

extension ControlReply.StoredText {
    fileprivate func show(on console: Console, numbers showsNumbers: Bool) {
        console.event([
            "event": "stored", "contact": .string(contact), "id": .integer(Int(id)),
            "outgoing": .integer(isOutgoing ? 1 : 0), "text": .string(text),
            "time": .integer(Int(milliseconds)), "status": .string(status),
        ])
        guard !console.isJSON else { return }
        let who = isOutgoing ? "you (\(status))" : contact
        let number = showsNumbers ? "\(id)  " : ""
        console.result("\(number)\(Self.time(milliseconds))  \(who): \(text)")
    }

    /// A time as people have it here, to the minute.
    private static func time(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }
}

extension NodeCounters {
    func show(on console: Console) {
        console.event([
            "event": "counters", "received": .integer(received), "delivered": .integer(delivered),
            "relayed": .integer(relayed), "originated": .integer(originated),
            "replayed": .integer(replayed), "tooLong": .integer(unsent["tooLong", default: 0]),
            "pushedOut": .integer(unsent["pushedOut", default: 0]),
            "failed": .integer(unsent["failed", default: 0]),
            "known": .integer(dropped["known", default: 0]),
            "malformed": .integer(dropped["malformed", default: 0]),
            "neighbourRate": .integer(dropped["neighbourRate", default: 0]),
            "senderRate": .integer(dropped["senderRate", default: 0]),
            "noRoom": .integer(dropped["noRoom", default: 0]),
            "stranger": .integer(ignored["stranger", default: 0]),
            "notDecrypted": .integer(ignored["notDecrypted", default: 0]),
            "copied": .integer(ignored["copied", default: 0]),
            "unexpectedReceipt": .integer(ignored["unexpectedReceipt", default: 0]),
            "position": .integer(ignored["position", default: 0]), "queued": .integer(queued),
            "neighbours": .integer(neighbours),
        ])
        guard !console.isJSON else { return }
        let droppedCount = dropped.values.reduce(0, +)
        let ignoredCount = ignored.values.reduce(0, +)
        console.result(
            "\(neighbours) neighbours; \(received) packets received: \(delivered) for you (\(ignoredCount) mean nothing), \(relayed) relayed, "
                + "\(droppedCount) dropped (\(dropped["known", default: 0]) known); \(originated) of yours, \(queued) kept"
        )
    }
}
