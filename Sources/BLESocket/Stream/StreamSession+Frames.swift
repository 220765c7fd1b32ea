// Frames that come, and those that are sent.
extension StreamSession {
    mutating func receive(_ bytes: [UInt8], at now: Duration) -> [Action] {
        guard let bytes = ownFrame(bytes) else { return [] }
        guard let frame = StreamFrame(bytes) else {
            return violate("\(bytes.count) bytes that are no frame of a stream")
        }
        lastHeard = now
        switch (frame, state) {
        case (.reset(let reason), _):
            return receive(reason)
        case (.hello(let hello), .greeting), (.hello(let hello), .open),
            (.hello(let hello), .lingering):
            return receive(hello, at: now)
        case (_, .lingering):
            // It has not heard that this end has all.
            acknowledge(by: now)
            return []
        case (.data(let offset, let data), .open):
            return receive(data, at: offset, at: now)
        case (.end(let offset), .open):
            guard receiver.receiveEnd(at: offset) else { return violate("an end at \(offset)") }
            acknowledge(by: now)
            return endIfComplete(at: now)
        case (.acknowledgement(let acknowledgement), .open):
            guard sender.receive(acknowledgement, at: now) else {
                return violate("a confirmation of what was not sent")
            }
            if acknowledgement.wantsReply { acknowledge(by: now) }
            lingerIfComplete(at: now)
            return reportConfirmed()
        case (_, .unlinked), (_, .greeting), (_, .closed):
            // It was sent before the hello, which it has overtaken.
            return []
        }
    }

    /// A frame without its label; `nil` for one of another session.
    private func ownFrame(_ bytes: [UInt8]) -> [UInt8]? {
        guard let (label, frame) = StreamLabel.remove(from: bytes) else { return bytes }
        return session.map { StreamLabel(session: $0) == label } == true ? frame : nil
    }

    private mutating func receive(
        _ data: [UInt8],
        at offset: UInt32,
        at now: Duration
    ) -> [Action] {
        guard let next = receiver.receive(data, at: offset) else {
            return violate("\(data.count) bytes at \(offset), where none may come")
        }
        unacknowledgedFrameCount += 1
        let isUrgent =
            receiver.hasGap || next.isEmpty
            || unacknowledgedFrameCount >= StreamConfiguration.acknowledgementFrameCount
        acknowledge(by: isUrgent ? now : now + StreamConfiguration.acknowledgementDelay)
        return (next.isEmpty ? [] : [.deliver(next)]) + endIfComplete(at: now)
    }

    private mutating func endIfComplete(at now: Duration) -> [Action] {
        guard receiver.isComplete, !hasReportedEnd else { return [] }
        hasReportedEnd = true
        acknowledge(by: now)
        lingerIfComplete(at: now)
        return [.ended]
    }

    mutating func reportConfirmed() -> [Action] {
        guard sender.confirmed > reportedConfirmed else { return [] }
        reportedConfirmed = sender.confirmed
        return [.confirmed(reportedConfirmed)]
    }

    /// The other end is told what has come, at the latest at a time.
    mutating func acknowledge(by time: Duration) {
        acknowledgementTime = min(acknowledgementTime ?? time, time)
    }

    // MARK: - What is sent

    /// The next frame to send.
    ///
    /// - Parameters:
    ///   - byteCount: how many bytes the link carries at once, at least 18.
    ///   - now: the time.
    /// - Returns: its bytes; `nil` when there is none at present.
    mutating func nextFrame(upTo byteCount: Int, at now: Duration) -> [UInt8]? {
        let room = byteCount - (isLabelled ? StreamLabel.byteCount : 0)
        guard let frame = nextFrame(in: room, at: now) else { return nil }
        if case .hello = frame { return frame.bytes }
        guard isLabelled, let session else { return frame.bytes }
        return StreamLabel(session: session).added(to: frame.bytes)
    }

    private mutating func nextFrame(in byteCount: Int, at now: Duration) -> StreamFrame? {
        switch state {
        case .unlinked: nil
        case .greeting: nextHello()
        case .open:
            nextHello() ?? nextAcknowledgement(upTo: byteCount, at: now)
                ?? nextData(upTo: byteCount, at: now)
        case .lingering:
            nextHello() ?? nextAcknowledgement(upTo: byteCount, at: now) ?? takeLastFrame()
        case .closed: takeLastFrame()
        }
    }

    private mutating func takeLastFrame() -> StreamFrame? {
        defer { lastFrame = nil }
        return lastFrame
    }

    private mutating func nextHello() -> StreamFrame? {
        guard isHelloDue, let session else { return nil }
        isHelloDue = false
        let acknowledgement = receiver.acknowledgement(pieceCount: 0)
        return .hello(
            StreamFrame.Hello(
                session: session,
                received: acknowledgement.received,
                limit: acknowledgement.limit,
                isKnown: isKnown,
                isEncrypted: configuration.isEncrypted,
                isShared: configuration.isShared
            )
        )
    }

    private mutating func nextAcknowledgement(
        upTo byteCount: Int,
        at now: Duration
    ) -> StreamFrame? {
        guard let acknowledgementTime, acknowledgementTime <= now else { return nil }
        self.acknowledgementTime = nil
        isAcknowledgementDue = false
        unacknowledgedFrameCount = 0
        let pieceCount = StreamFrame.pieceCount(in: byteCount)
        var acknowledgement = receiver.acknowledgement(pieceCount: pieceCount)
        acknowledgement.wantsReply = isAsking
        isAsking = false
        return .acknowledgement(acknowledgement)
    }

    private mutating func nextData(upTo byteCount: Int, at now: Duration) -> StreamFrame? {
        let dataByteCount = byteCount - StreamFrame.dataHeaderByteCount
        if let (offset, data) = sender.nextSegment(upTo: dataByteCount, at: now) {
            return .data(offset: offset, data)
        }
        return sender.nextEnd(at: now).map { .end(offset: $0) }
    }
}
