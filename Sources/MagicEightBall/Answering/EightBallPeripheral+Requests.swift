internal import BLE

// What askers do: they come, write, read and leave.
extension EightBallPeripheral {
    /// What the radio sees of a ball: reads, writes and events, handed on in their order.
    struct Responder: PromptResponder {
        let ball: EightBallPeripheral
        /// What comes of an earlier publication is too late.
        let publication: Int

        func read(
            _ characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) -> [UInt8] {
            try await ball.read(characteristic, request, over: publication)
        }

        func write(
            _ value: [UInt8],
            to characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) {
            try await ball.write(value, to: characteristic, request, over: publication)
        }

        func handle(_ event: PublicationEvent) async {
            await ball.handle(event, of: publication)
        }
    }

    /// An asker reads.
    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest,
        over publication: Int
    ) throws(ATTError) -> [UInt8] {
        let peer = request.central
        guard publication == self.publication.number else { return [] }
        switch characteristic {
        case EightBallService.answer:
            guard meet(peer, mtuBytes: request.mtuBytes) != nil else { return [] }
            if request.offset == 0 {
                let whole = records[peer]?.answer?.wireText ?? ""
                records[peer]?.answerSnapshot = Array(whole.utf8)
            }
            return records[peer]?.answerSnapshot ?? []
        case EightBallService.reply:
            guard meet(peer, mtuBytes: request.mtuBytes) != nil else { return [] }
            return readReply(request)
        default:
            throw .readNotPermitted
        }
    }

    /// An asker writes.
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest,
        over publication: Int
    ) async throws(ATTError) {
        guard publication == self.publication.number else {
            throw RejectionReason.deviceOffline.attError
        }
        switch characteristic {
        case EightBallService.question:
            do throws(RejectionReason) {
                try await receive(.plain, value, request, over: publication)
            } catch {
                throw error.attError
            }
        case EightBallService.privateQuestion:
            let privateQuestion = PrivateQuestion(received: value)
            do throws(RejectionReason) {
                try await receive(
                    privateQuestion.map { .private($0.tag) },
                    privateQuestion?.question ?? [],
                    request,
                    over: publication
                )
            } catch {
                throw error.privateError
            }
        default:
            throw .writeNotPermitted
        }
    }

    /// An event that is neither a read nor a write.
    func handle(_ event: PublicationEvent, of publication: Int) {
        guard publication == self.publication.number else { return }
        switch event {
        case .connected(let peer):
            meet(peer)
        case .disconnected(let peer):
            leave(peer, because: EightBallError(.deviceOffline, "the asker \(peer) has gone"))
        case .subscribed(let characteristic, _):
            subscribed.insert(characteristic)
            if characteristic == EightBallService.answer {
                for wait in subscriptionWaits.values { wait.finish() }
            }
        case .unsubscribed(let characteristic, _):
            subscribed.remove(characteristic)
        case .mtuChanged(let mtuBytes, let peer):
            records[peer]?.mtuBytes = mtuBytes
        case .individualNotificationsEnded, .lostWrites:
            // Questions are written with a response, but by apps that then get no answer, as without room.
            break
        case .ended(let cause):
            publicationEnded(cause)
        }
    }

    /// An asker disconnected, or can no longer be reached.
    func leave(_ peer: PeerID, because failure: EightBallError) {
        let open = queue.open.filter { $0.asker.id == peer }.map(\.id)
        for id in open + (records[peer]?.replies.all ?? []) { take(.ended(failure), of: id) }
        guard let record = records.removeValue(forKey: peer) else { return }
        order.removeAll { $0 == peer }
        report(.disconnected(record.asker))
        notifyWaits()
    }

    /// Whether an asker has subscribed to answers.
    func isSubscribed(_ peer: PeerID) -> Bool? {
        guard records[peer] != nil, !subscribed.isEmpty else { return false }
        return records.count == 1 ? true : nil
    }

    /// The asker of an identity, which may be new: systems don't report each connection.
    @discardableResult
    private func meet(_ peer: PeerID, mtuBytes: Int? = nil) -> ConnectedAsker? {
        guard !session.isStopped else { return nil }
        if records[peer] == nil {
            guard records.count < Self.maximumAskerCount else { return nil }
            let asker = ConnectedAsker(id: peer, ball: self)
            records[peer] = AskerRecord(asker)
            order.append(peer)
            report(.connected(asker))
        }
        if let mtuBytes { records[peer]?.mtuBytes = mtuBytes }
        return records[peer]?.asker
    }

    /// A question came; `pair` is `nil` when nothing is known of how its answer should go.
    private func receive(
        _ pair: AcceptedQuestion.Pair?,
        _ text: [UInt8],
        _ request: GATTRequest,
        over publication: Int
    ) async throws(RejectionReason) {
        // It may have ended before this was called: every `await` may let others in.
        guard publication == self.publication.number else { throw .deviceOffline }
        guard let asker = meet(request.central, mtuBytes: request.mtuBytes) else {
            throw session.isStopped ? .deviceOffline : .deviceBusy
        }
        do throws(RejectionReason) {
            if let reason = records[asker.id]?.rejection { throw reason }
            guard case .running = session else { throw .deviceOffline }
            guard let pair else { throw .malformed }
            let question = try question(text)
            try checkLimit(of: asker.id)
            if let check = answers.check {
                // Not on the radio's executor, as it is the program's.
                let reason = await Task { @concurrent in check(question, asker) }.value
                guard case .running = session, publication == self.publication.number,
                    let record = records[asker.id]
                else { throw .deviceOffline }
                if let reason = reason ?? record.rejection { throw reason }
            }
            try checkRoom(for: asker.id, over: pair)
            accept(question, from: asker, over: pair, mtuBytes: request.mtuBytes)
        } catch {
            if records[asker.id] != nil { report(.rejectedQuestion(of: asker, error)) }
            throw error
        }
    }

    private func question(_ value: [UInt8]) throws(RejectionReason) -> Question {
        guard value.count <= Question.maximumByteCount else { throw .tooLong }
        guard let text = EightBallService.text(value) else { throw .malformed }
        let question = Question(received: text)
        guard question.endsInQuestionMark else { throw .questionPlease }
        return question
    }

    private func checkRoom(
        for peer: PeerID,
        over pair: AcceptedQuestion.Pair
    ) throws(RejectionReason) {
        switch pair {
        case .plain:
            let isSettled = lastAnswered == nil || lastAnswered == peer
            guard queue.hasRoom, !queue.hasPlainQuestion, isSettled else { throw .deviceBusy }
        case .private:
            guard queue.hasRoom || queue.isFull(for: peer) else { throw .deviceBusy }
        }
    }

    private func checkLimit(of peer: PeerID) throws(RejectionReason) {
        guard let questionLimit else { return }
        guard recent[peer, default: 0] < questionLimit.count,
            forgetting.count < Self.maximumCountedQuestions
        else { throw .tooManyQuestions }
    }

    /// Counts an accepted question, for as long as the limit says.
    func countQuestion(of peer: PeerID) {
        guard let questionLimit else { return }
        let id = nextNumber()
        recent[peer, default: 0] += 1
        forgetting[id] = Deadline(after: questionLimit.duration, on: clock, of: self) { ball in
            ball.forgetting[id] = nil
            ball.recent[peer] = ball.recent[peer].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
}
