/// What a user and their contacts say to each other: encrypts and decrypts, makes receipts and believes those that it waits
/// for.
struct Correspondence: Sendable {
    /// What a packet for this user means.
    enum Outcome: Sendable {
        /// A message has come; the receipt is to be sent.
        case received(RelayMessage, receipt: RelayPacket)
        /// One that is known has come again, perhaps since its receipt was lost; that is to be sent again.
        case receivedAgain(receipt: RelayPacket)
        /// A message of this user has come to a contact.
        case delivered(Int32, to: RelayAddress)
        /// Messages of this user have been read by a contact, which was not known.
        case read([Int32], by: RelayAddress)
        /// It means nothing: why.
        case ignored(RelayCounters.IgnoreReason)
    }

    private struct Contact {
        let link: RelayLink
        let pair: PairKey
    }

    private struct MessageID: Hashable {
        let contact: String
        let id: Int32
    }

    /// What is known of a message of this user.
    private enum Progress {
        case sent, delivered, read
    }

    /// An encrypted text of a contact.
    private struct SealedText: Hashable {
        let contact: String
        let nonce: [UInt8]
    }

    /// How many messages are remembered: of own ones, to believe receipts, and of others', to know them again.
    static let maximumKnownCount = 8_192
    private let identity: RelayIdentity
    private let address: RelayAddress
    private var contacts: [String: Contact] = [:]
    /// How far own messages have come.
    private var sent = BoundedMemory<MessageID, Progress>(maximumCount: maximumKnownCount)
    private var received = BoundedMemory<MessageID, Int>(maximumCount: maximumKnownCount)
    private var arrivalCount = 0
    /// The number under which a text came first.
    private var texts = BoundedMemory<SealedText, Int32>(maximumCount: maximumKnownCount)

    init(_ identity: RelayIdentity, _ address: RelayAddress) {
        self.identity = identity
        self.address = address
    }

    // MARK: - Contacts

    /// Adds a contact, or gives one another key.
    ///
    /// - Parameters:
    ///   - link: what the contact has shown.
    ///   - replacesKey: whether a contact of that address may have had another key.
    /// - Throws: ``RelayError``: ``RelayError/Code/keyChanged``, ``RelayError/Code/invalidKey``,
    ///   ``RelayError/Code/invalidLink`` for this user's own address or key, ``RelayError/Code/full``.
    mutating func add(_ link: RelayLink, replacingKey replacesKey: Bool) throws(RelayError) {
        guard link.address != address, link.key != identity.key else {
            throw RelayError(.invalidLink, "the link is this user's own")
        }
        if let known = contacts[link.address.text], known.link.key != link.key, !replacesKey {
            throw RelayError(keyChangedOf: known.link, to: link)
        }
        guard contacts.count < RelayNode.maximumContactCount || contacts[link.address.text] != nil
        else {
            throw RelayError(.full, "\(link.address) was not added: there are \(contacts.count)")
        }
        let pair = try PairKey(identity, link.key)
        contacts[link.address.text] = Contact(link: link, pair: pair)
    }

    /// Removes a contact, whose messages mean nothing from then on.
    mutating func remove(_ contact: RelayAddress) { contacts[contact.text] = nil }

    /// The contacts, by their addresses.
    var links: [RelayLink] {
        contacts.values.map(\.link).sorted { $0.address.text < $1.address.text }
    }

    // MARK: - Sending

    /// Encrypts a text.
    ///
    /// - Parameters:
    ///   - text: 1 or more bytes.
    ///   - receiver: a contact.
    ///   - id: of the message; one that was sent before to this contact is sent anew under it.
    ///   - byteCount: how many bytes of text fit.
    /// - Returns: what is to be sent.
    /// - Throws: ``RelayError``: ``RelayError/Code/empty``, ``RelayError/Code/tooLong``,
    ///   ``RelayError/Code/unknownContact``.
    mutating func compose(
        _ text: String,
        to receiver: RelayAddress,
        id: Int32,
        fitting byteCount: Int
    ) throws(RelayError) -> RelayPacket {
        guard let contact = contacts[receiver.text] else {
            throw RelayError(
                .unknownContact,
                "\(receiver) is no contact: their link is needed first"
            )
        }
        guard !text.isEmpty else { throw RelayError(.empty, "a message has a text") }
        guard text.utf8.count <= byteCount else {
            throw RelayError(tooLong: text, fitting: byteCount, to: receiver)
        }
        sent.set(.sent, for: MessageID(contact: receiver.text, id: id), at: .zero)
        return RelayPacket(
            id: id,
            kind: .message,
            sender: address.text,
            receiver: receiver.text,
            text: contact.pair.seal(text)
        )
    }

    /// A receipt for a contact.
    func packet(_ receipt: RelayReceipt, to contact: RelayAddress, id: Int32) -> RelayPacket {
        RelayPacket(
            id: id,
            kind: receipt.kind,
            sender: address.text,
            receiver: contact.text,
            text: receipt.text
        )
    }

    // MARK: - Receiving

    /// Takes a packet that is for this user.
    ///
    /// - Parameters:
    ///   - packet: it may be anybody's.
    ///   - receiptID: of the receipt, should one be sent.
    /// - Returns: what it means.
    mutating func receive(_ packet: RelayPacket, receiptID: Int32) -> Outcome {
        guard let contact = contacts[packet.sender] else { return .ignored(.stranger) }
        let sender = contact.link.address
        switch packet.kind {
        case .message:
            guard let text = try? contact.pair.open(packet.text),
                let nonce = PairKey.nonce(of: packet.text)
            else { return .ignored(.notDecrypted) }
            guard !isCopied(packet, nonce, by: contact) else { return .ignored(.copied) }
            let sealed = SealedText(contact: sender.text, nonce: nonce)
            _ = texts.insert(packet.id, for: sealed, at: .zero)
            let receipt = self.packet(.received(packet.id), to: sender, id: receiptID)
            let id = MessageID(contact: sender.text, id: packet.id)
            arrivalCount += 1
            guard received.insert(arrivalCount, for: id, at: .zero) else {
                return .receivedAgain(receipt: receipt)
            }
            let message = RelayMessage(
                id: packet.id,
                sender: sender,
                receiver: address,
                text: text,
                nonce: nonce
            )
            return .received(message, receipt: receipt)
        case .acknowledgement, .read:
            guard let receipt = try? RelayReceipt(packet) else {
                return .ignored(.unexpectedReceipt)
            }
            return receive(receipt, of: sender)
        case .position: return .ignored(.position)
        }
    }

    /// Knows the text of a message again that has come to a node which is not any more.
    mutating func know(_ nonce: [UInt8], of id: Int32, from sender: RelayAddress) {
        _ = texts.insert(id, for: SealedText(contact: sender.text, nonce: nonce), at: .zero)
    }

    /// Whether a packet is a message that a contact has encrypted for this user, and whose text has not come before: whoever
    /// plays one again can do so as often as they like.
    func isGenuine(_ packet: RelayPacket) -> Bool {
        guard packet.kind == .message, let contact = contacts[packet.sender],
            let nonce = PairKey.nonce(of: packet.text),
            texts[SealedText(contact: packet.sender, nonce: nonce)] == nil,
            (try? contact.pair.open(packet.text)) != nil
        else { return false }
        return !contact.pair.isOwn(nonce)
    }

    /// Numbers and addresses are not encrypted: whoever has a text can give it another number, or send it back.
    private func isCopied(_ packet: RelayPacket, _ nonce: [UInt8], by contact: Contact) -> Bool {
        let first = texts[SealedText(contact: packet.sender, nonce: nonce)]
        return contact.pair.isOwn(nonce) || first ?? packet.id != packet.id
    }

    /// Which of all messages that have come, counted, a packet's was first; `nil` when it has not come, or was forgotten.
    func arrival(of packet: RelayPacket) -> Int? {
        received[MessageID(contact: packet.sender, id: packet.id)]
    }

    /// A message that has come could not be taken; when it comes again, it is new.
    mutating func forget(_ message: RelayMessage) {
        received.remove(MessageID(contact: message.sender.text, id: message.id))
    }

    /// Believes that a message which was sent earlier has come, as soon as its receiver says so; or that it has been read.
    mutating func expect(_ id: Int32, from receiver: RelayAddress, isDelivered: Bool = false) {
        let message = MessageID(contact: receiver.text, id: id)
        sent.set(isDelivered ? .delivered : .sent, for: message, at: .zero)
    }

    private mutating func receive(_ receipt: RelayReceipt, of sender: RelayAddress) -> Outcome {
        switch receipt {
        case .received(let id):
            let message = MessageID(contact: sender.text, id: id)
            guard sent[message] == .sent else { return .ignored(.unexpectedReceipt) }
            sent.update(message) { $0 = .delivered }
            return .delivered(id, to: sender)
        case .read(let ids):
            // Apps of the second generation say it again at each visit.
            var own: [Int32] = []
            for id in ids {
                let message = MessageID(contact: sender.text, id: id)
                guard let progress = sent[message], progress != .read else { continue }
                sent.update(message) { $0 = .read }
                own.append(id)
            }
            guard !own.isEmpty else { return .ignored(.unexpectedReceipt) }
            return .read(own, by: sender)
        }
    }
}
