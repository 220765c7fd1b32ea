// Contacts, and what they are sent.
extension RelayNode {
    // MARK: - Contacts

    /// Adds a contact; messages of others mean nothing to this user, and are sent on as any.
    ///
    /// - Parameters:
    ///   - link: what the contact has shown. They need this user's, too: ``link``.
    ///   - replacesKey: whether a contact of that address may have another key than before.
    /// - Throws: ``RelayError``: ``RelayError/Code/keyChanged``, ``RelayError/Code/invalidKey``,
    ///   ``RelayError/Code/invalidLink`` for this user's own address or key, ``RelayError/Code/full``.
    public func add(_ link: RelayLink, replacingKey replacesKey: Bool = false) throws {
        try correspondence.add(link, replacingKey: replacesKey)
    }

    /// Removes a contact.
    ///
    /// - Parameter contact: whom.
    public func remove(_ contact: RelayAddress) { correspondence.remove(contact) }

    /// The contacts, by their addresses.
    public var contacts: [RelayLink] { correspondence.links }

    // MARK: - Messages

    /// Sends a text to a contact: to all neighbours, and for 15 minutes to those who come.
    ///
    /// ``RelayEvent/delivered(_:to:)`` tells that it has come.
    ///
    /// - Parameters:
    ///   - text: 1 byte or more of UTF-8, as many as ``maximumTextByteCount(to:)`` says.
    ///   - contact: to whom.
    ///   - id: the message's number; one that this contact was sent before is sent anew under it, and while nobody is near may be
    ///     as long as any packet. `nil` for one by chance.
    /// - Returns: the message's number.
    /// - Throws: ``RelayError``: ``RelayError/Code/empty``, ``RelayError/Code/tooLong``,
    ///   ``RelayError/Code/unknownContact``, ``RelayError/Code/notReady``; ``RelayError/Code/failed`` for a negative number.
    @discardableResult
    public func send(
        _ text: String,
        to contact: RelayAddress,
        id: Int32? = nil
    ) async throws -> Int32 {
        if let id, id < 0 { throw RelayError(.failed, "a message's number is not \(id)") }
        let alone = id == nil ? Self.leastNotificationByteCount : RelayPacket.maximumByteCount
        let room = await smallestNotificationByteCount(ofNobody: alone)
        // It may have been stopped meanwhile.
        guard serving?.isCancelled == false else {
            throw RelayError(.notReady, "the message was not sent: the node is not started")
        }
        let packet = try correspondence.compose(
            text,
            to: contact,
            id: id ?? newID(),
            fitting: textByteCount(to: contact, in: room)
        )
        handle(.originated(packet))
        return packet.id
    }

    /// Believes a contact that a message has come which was sent earlier, by a node that is not any more.
    ///
    /// - Parameters:
    ///   - id: the message's number.
    ///   - contact: to whom it was sent.
    public func expectReceipt(of id: Int32, from contact: RelayAddress) {
        correspondence.expect(id, from: contact)
    }

    /// Believes contacts what they say of messages that were sent by a node which is not any more.
    ///
    /// - Parameter messages: to whom, their numbers, and whether they are acknowledged; the newest last.
    package func expectReceipts(
        of messages: [(receiver: RelayAddress, id: Int32, isDelivered: Bool)]
    ) {
        for (receiver, id, isDelivered) in messages {
            correspondence.expect(id, from: receiver, isDelivered: isDelivered)
        }
    }

    /// Knows messages again that have come to a node which is not any more, also under other numbers.
    ///
    /// - Parameter messages: by whom, their numbers, and what their texts began with; the newest last.
    package func know(_ messages: [(sender: RelayAddress, id: Int32, nonce: [UInt8])]) {
        for (sender, id, nonce) in messages { correspondence.know(nonce, of: id, from: sender) }
    }

    /// Tells a contact that their messages have been read, in as many packets as it takes.
    ///
    /// Does nothing while the node is stopped.
    ///
    /// - Parameters:
    ///   - ids: the messages' numbers.
    ///   - contact: whose they are.
    public func markRead(_ ids: [Int32], of contact: RelayAddress) async {
        let byteCount = await smallestNotificationByteCount()
        let longest = correspondence.packet(.read([.max]), to: contact, id: .max)
        let room = byteCount - longest.encoded(for: generation).count
        let count = 1 + max(0, room / "\(Int32.max)/".utf8.count)
        for start in stride(from: 0, to: ids.count, by: count) where serving != nil {
            let receipt = RelayReceipt.read(Array(ids[start...].prefix(count)))
            handle(.originated(correspondence.packet(receipt, to: contact, id: newID())))
        }
    }

    /// How many bytes of UTF-8 a text to a contact may have now: what fits the notification with the least room, but no less than
    /// the 182 bytes that a phone takes, whoever is near; just those while nobody is.
    ///
    /// A neighbour who comes later may have less.
    ///
    /// - Parameter contact: to whom.
    /// - Returns: how many; 0 when not even one does.
    public func maximumTextByteCount(to contact: RelayAddress) async -> Int {
        textByteCount(to: contact, in: await smallestNotificationByteCount())
    }

    private func textByteCount(to contact: RelayAddress, in byteCount: Int) -> Int {
        RelayPacket.maximumTextByteCount(
            inNotificationOf: byteCount,
            from: address,
            to: contact,
            for: generation
        )
    }
}
