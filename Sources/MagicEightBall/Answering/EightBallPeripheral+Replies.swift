internal import BLE

// Replies to inquiries: kept until their askers read them.
extension EightBallPeripheral {
    /// Serves a read of the Reply characteristic; it has been read when its last byte is on its way.
    func readReply(_ request: GATTRequest) -> [UInt8] {
        let peer = request.central
        if request.offset == 0 {
            let whole = records[peer]?.reply?.bytes ?? []
            records[peer]?.replySnapshot = whole
        }
        let snapshot = records[peer]?.replySnapshot ?? []
        // A read response carries 1 byte less than the MTU (Vol 3, Part F, 3.4.4.4).
        let end = request.offset + request.mtuBytes - 1
        if end >= snapshot.count, let reply = records[peer]?.reply, reply.bytes == snapshot {
            didRead(reply, by: peer)
        }
        return snapshot
    }

    /// Keeps a refusal for its asker to read, and tells that it is there.
    func keepRefusal(_ reply: PendingReply, for peer: PeerID) {
        records[peer]?.reply = reply
        let task = Task { [id = reply.id, tag = reply.tag] in
            await self.announce(tag)
            await self.expire(id, of: peer)
        }
        records[peer]?.reply?.task = task
    }

    /// Keeps an answer no longer than allowed, from now on.
    func limitReading(of id: Int, by peer: PeerID) {
        guard records[peer]?.reply?.id == id else { return }
        let task = Task { await self.expire(id, of: peer) }
        records[peer]?.reply?.task = task
    }

    /// An asker's reply is no longer kept.
    @discardableResult
    func forgetReply(of peer: PeerID) -> PendingReply? {
        guard let reply = records[peer]?.reply else { return nil }
        records[peer]?.reply = nil
        reply.task?.cancel()
        return reply
    }

    /// An asker's reply is no longer kept, though it was not read.
    func dropReply(of peer: PeerID, because failure: EightBallError) {
        guard let asker = records[peer]?.asker, let reply = forgetReply(of: peer) else { return }
        // A refusal was told when it was made.
        if reply.answer != nil { fail(reply.question, of: asker, because: failure) }
    }

    /// What becomes of a question whose asker has asked another one.
    func replaced(by question: Question, of peer: PeerID) -> EightBallError {
        EightBallError(.cancelled, "the asker \(peer) went on to ask '\(question)'")
    }

    private func didRead(_ reply: PendingReply, by peer: PeerID) {
        forgetReply(of: peer)
        guard let answer = reply.answer, let asker = records[peer]?.asker else { return }
        // The asker may be faster than the radio's word that it was told.
        didSend(answer, as: reply.id)
        observers.tell {
            await $0.peripheral(self, didDeliver: answer, to: reply.question, of: asker)
        }
    }

    private func announce(_ tag: InquiryTag) async {
        guard let publication else { return }
        do {
            _ = try await withTimeLimit(timeouts.radio, on: clock) {
                try await publication.update(
                    EightBallService.reply.characteristic,
                    to: Reply.ready(tag).bytes
                )
            }
        } catch {
            // That the question was refused is told already; an end of the radio is told by itself.
        }
    }

    private func expire(_ id: Int, of peer: PeerID) async {
        do {
            try await clock.sleep(for: timeouts.reply)
            try Task.checkCancellation()
        } catch {
            // Cancelled: it was read, or its asker has gone or asked again.
            return
        }
        guard let reply = records[peer]?.reply, reply.id == id else { return }
        let attempt = "the reply to '\(reply.question)' of \(peer)"
        let limit = timeouts.reply
        let message = "\(attempt) was not read within \(limit)"
        dropReply(of: peer, because: EightBallError(.timedOut(.answering), message))
    }
}
