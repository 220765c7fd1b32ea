import BLE
import NoiseProtocol

@testable import BlueChat

/// What comes to an end of a chat, one thing after the other: bytes that are read again as they were written, a
/// conversation that stays bounded and tells of each message once, sessions that end rather than believe.
@Sendable func decodeChat(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    switch source.number(below: 6) {
    case 0: decodeBytes(&source)
    case 1, 2: decodeConversation(&source)
    case 4: decodeName(&source)
    case 5: decodeCallee(&source)
    default: decodeSessions(&source)
    }
}

private func decodeBytes(_ source: inout ByteSource) {
    let bytes = source.rest()
    if let record = try? Record(bytes) {
        precondition((try? Record(record.encoded)) == record, "a record is read differently")
    }
    if let message = try? ChatMessage(id: MessageID(), bytes) {
        let again = try? ChatMessage(id: message.id, message.encoded)
        precondition(again == message, "a message is read differently")
        if case .file(let file) = message.content { precondition(!file.name.contains("/")) }
    }
    if let value = SessionValue(bytes) {
        precondition(SessionValue(value.encoded) == value, "a value is read differently")
    }
}

/// A name has room in an advertisement, and begins as the whole one.
private func decodeName(_ source: inout ByteSource) {
    let text = String(decoding: source.rest(), as: UTF8.self)
    guard let name = try? ChatName(text) else { return }
    precondition((1...ChatName.maximumLength).contains(name.text.utf16.count))
    precondition(name.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    let advertised = name.advertised.utf8
    precondition((1...29).contains(advertised.count), "an advertisement has no room for a name")
    precondition(name.text.utf8.starts(with: advertised))
    precondition((try? ChatName(name.text)) == name, "a name is read differently")
}

/// Whatever centrals do: one chat at a time, texts of its caller alone.
private func decodeCallee(_ source: inout ByteSource) {
    var callee = Callee()
    var caller: PeerID?
    func take(_ actions: [Callee.Action]) {
        for action in actions {
            switch action {
            case .begin(let peer):
                precondition(caller == nil, "a chat begins in another one")
                caller = peer
            case .end(let peer):
                precondition(caller == peer, "a chat ends that is not on")
                caller = nil
            case .disconnect(let peer):
                precondition(caller != peer, "the caller is disconnected")
            }
        }
        precondition(callee.caller == caller && callee.isFree == (caller == nil))
    }
    let peers = (0..<4).map { PeerID(rawValue: "\($0)") }
    while !source.isEmpty {
        let peer = source.element(of: peers)
        switch source.number(below: 10) {
        case 0: take(callee.handle(.connected(peer)))
        case 1: take(callee.handle(.disconnected(peer)))
        case 2: take(callee.handle(.subscribed(peer)))
        case 3: take(callee.handle(.subscribed(nil)))
        case 4: take(callee.handle(.unsubscribed(peer)))
        case 5: take(callee.handle(.unsubscribed(nil)))
        case 6: take(callee.handle(.isOurs(peer)))
        case 7: take(callee.handle(.calls(source.byte() % 2 == 0 ? peer : nil)))
        case 8:
            let (verdict, actions) = callee.receiveText(of: peer)
            take(actions)
            precondition((verdict == .deliver) == (caller == peer), "who is no caller is heard")
        default: take(callee.handle(.ended))
        }
    }
}

private func decodeConversation(_ source: inout ByteSource) {
    var conversation = Conversation()
    var assembly = MessageAssembly()
    // Few, so that what comes is often about what is there.
    let ids = (0..<4).compactMap { MessageID([UInt8](repeating: $0, count: 16)) }
    var sent: Set<MessageID> = []
    var delivered: Set<MessageID> = []
    var taken: Set<MessageID> = []
    conversation.beginSession()
    while !source.isEmpty {
        let id = source.element(of: ids)
        switch source.number(below: 10) {
        case 0:
            guard let message = try? ChatMessage(.text("a"), time: 0, id: id),
                !delivered.contains(id)
            else { break }
            try? conversation.send(message)
            sent.insert(id)
        case 1: conversation.markRead(id)
        case 2:
            conversation.beginSession()
            assembly = MessageAssembly()
        case 3: while conversation.nextRecord() != nil {}
        case 4: conversation.forget(id)
        default:
            let record = record(&source, id)
            guard let events = try? conversation.receive(record, &assembly) else {
                conversation.beginSession()
                assembly = MessageAssembly()
                break
            }
            for event in events {
                switch event {
                case .received(let message):
                    taken.insert(message.id)
                    if source.byte() % 2 == 0 { conversation.confirm(message.id) }
                case .delivered(let id), .refused(let id):
                    precondition(sent.contains(id), "what was not sent is delivered")
                    precondition(delivered.insert(id).inserted, "a message is delivered twice")
                case .read(let ids):
                    precondition(delivered.isSuperset(of: ids), "what has not arrived is read")
                case .failedToReceive, .typing, .renamed, .left: break
                }
            }
        }
        precondition(conversation.waiting.count <= ids.count)
    }
    var count = 0
    while conversation.nextRecord() != nil {
        count += 1
        precondition(count < 100_000, "there is no end of what is to be said")
    }
}

private func record(_ source: inout ByteSource, _ id: MessageID) -> Record {
    switch source.number(below: 8) {
    case 0:
        let bytes = source.text()
        return .begin(id, byteCount: bytes.count + source.number(below: 3), bytes)
    case 1:
        let message = try? ChatMessage(.text("hello"), time: 1, id: id)
        let bytes = message?.encoded ?? []
        return .begin(id, byteCount: bytes.count, bytes)
    case 2: return .more(source.text())
    case 3: return .delivered(id)
    case 4: return .refused(id)
    case 5: return .read(id)
    case 6: return .typing(source.byte() % 2 == 0)
    default: return (try? Record(source.text())) ?? .leave
    }
}

/// Neither end believes what somebody without its key says.
private func decodeSessions(_ source: inout ByteSource) {
    var caller = CallerSession(id: 7, key: IdentityKey(), name: "Alice")
    var callee = CalleeSession(id: 7, key: IdentityKey(), name: "Bob")
    var nobody: Conversation?
    while !source.isEmpty {
        if source.byte() % 2 == 0 {
            _ = try? caller.nextOperation(upTo: 20, &nobody)
            guard (try? caller.receive(source.text())) != nil else { return }
            precondition(!caller.isEstablished, "anybody is believed to have a key")
        } else {
            _ = try? callee.value(upTo: 20, &nobody)
            guard let value = SessionValue(source.text()) else { continue }
            guard (try? callee.receive(value)) != nil else { return }
            precondition(!callee.isEstablished, "anybody is believed to have a key")
        }
    }
}
