internal import BLE

// Replies to private questions: kept for their askers to read.
extension EightBallPeripheral {
    /// Serves a read of the Reply characteristic; a reply was read when its last byte is on its way.
    func readReply(_ request: GATTRequest) -> [UInt8] {
        let peer = request.central
        if request.offset == 0 {
            let next = records[peer]?.replies.next.flatMap { queue[$0] }
            records[peer]?.replySnapshot = next.map { ReplySnapshot(id: $0.id, bytes: $0.reply) }
        }
        guard let snapshot = records[peer]?.replySnapshot else { return [] }
        // A read response carries 1 byte less than the MTU (Vol 3, Part F, 3.4.4.4).
        let end = request.offset + request.mtuBytes - 1
        if end >= snapshot.bytes.count, !snapshot.isRead { didRead(snapshot, by: peer) }
        return snapshot.bytes
    }

    /// A reply can be read from now on.
    func offerReply(of id: Int, to peer: PeerID) {
        guard let dropped = records[peer]?.replies.add(id) else { return }
        let message = "the asker \(peer) asked on, and did not read it"
        take(.ended(EightBallError(.cancelled, message)), of: dropped)
    }

    /// Keeps a reply no longer than allowed, from now on.
    func keepReply(to question: AcceptedQuestion) {
        let deadline = Deadline(after: timeouts.reply, on: clock, of: self) { $0.expire(question) }
        work[question.id, default: QuestionWork()].setLimit(deadline)
    }

    /// Notifies all subscribers that the reply to a question can be read.
    func notify(_ question: AcceptedQuestion) {
        guard let tag = question.tag else { return }
        work[question.id]?.notifying?.cancel()
        work[question.id, default: QuestionWork()].notifying = executor.task(of: self) {
            await $0.notify(tag)
        }
    }

    private func notify(_ tag: QuestionTag) async {
        do {
            try await update(
                EightBallService.reply,
                to: Reply.ready(tag).bytes,
                "notifying that a reply is ready"
            )
        } catch {
            // The question's outcome and the end of a publication are reported elsewhere.
        }
    }

    private func didRead(_ snapshot: ReplySnapshot, by peer: PeerID) {
        records[peer]?.replySnapshot?.isRead = true
        // It may have been refused since its first part was read, or its time may be over.
        guard let question = queue[snapshot.id], question.reply == snapshot.bytes else { return }
        records[peer]?.replies.didRead(question.id)
        take(.read, of: question.id)
        // Another program of this asker may have read it, or one that reads only once for each
        // notification: the one whose reply comes next is notified again.
        guard let next = records[peer]?.replies.nextUnread.flatMap({ queue[$0] }), !next.isOpen
        else { return }
        notify(next)
    }

    private func expire(_ question: AcceptedQuestion) {
        let attempt = "the reply to '\(question.question)' of \(question.asker.id)"
        let message = "\(attempt) was not read within \(timeouts.reply.inUnits)"
        take(.ended(EightBallError(.timedOut(.answering), message)), of: question.id)
    }
}

/// What a read in several parts is served from: a reply as it was at the first part.
struct ReplySnapshot {
    let id: Int
    let bytes: [UInt8]
    /// Its last byte was read.
    var isRead = false
}
