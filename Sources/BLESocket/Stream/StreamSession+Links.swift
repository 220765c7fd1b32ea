internal import BLE

// Links that come and go, and the end of the session.
extension StreamSession {
    mutating func link(at now: Duration) {
        guard case .unlinked = state else { return }
        state = .greeting(since: now, nextHello: now + configuration.helloInterval)
        isHelloDue = isCentral
    }

    mutating func unlink(at now: Duration) -> [Action] {
        switch state {
        case .unlinked, .closed: return []
        case .greeting, .open, .lingering:
            leaveLink(at: now)
            return []
        }
    }

    private mutating func leaveLink(at now: Duration) {
        switch state {
        // A link without a hello is none.
        case .greeting: break
        case .unlinked, .open, .lingering, .closed: absentSince = now
        }
        state = .unlinked(since: absentSince)
        isHelloDue = false
        lastFrame = nil
        isAsking = false
        acknowledgementTime = nil
        isAcknowledgementDue = false
        unacknowledgedFrameCount = 0
    }

    mutating func passTime(_ now: Duration) -> [Action] {
        switch state {
        case .unlinked(let since) where since + absenceLimit <= now:
            guard !isComplete else { return over(nil) }
            return over(absence)
        case .greeting(let since, _) where since + configuration.helloLimit <= now:
            return dropLink(
                "the other end did not say hello within \(configuration.helloLimit.inUnits)",
                at: now
            )
        case .greeting(let since, let nextHello) where nextHello <= now:
            state = .greeting(since: since, nextHello: now + configuration.helloInterval)
            isHelloDue = isCentral
        case .open:
            sender.passTime(now)
            if let acknowledgementTime, acknowledgementTime <= now { isAcknowledgementDue = true }
            guard lastHeard + configuration.silenceLimit > now else {
                return dropLink(
                    "nothing was heard of the other end for \(configuration.silenceLimit.inUnits)",
                    at: now
                )
            }
            guard askTime <= now else { return [] }
            lastAsked = now
            isAsking = true
            acknowledge(by: now)
        case .lingering(let time) where time <= now:
            return over(nil)
        case .unlinked, .greeting, .lingering, .closed:
            break
        }
        return []
    }

    private mutating func dropLink(_ reason: String, at now: Duration) -> [Action] {
        leaveLink(at: now)
        return [.dropLink(SocketError(.timedOut, reason))]
    }

    // MARK: - Hello

    mutating func receive(_ hello: StreamFrame.Hello, at now: Duration) -> [Action] {
        // All centrals of a peripheral are notified of its hellos.
        if isCentral, hello.session != session { return [] }
        let isFirst = session == nil
        // Also what refuses it is labelled.
        if isFirst { session = hello.session }
        guard hello.isEncrypted == configuration.isEncrypted else {
            return reset(
                .encryption,
                SocketError(
                    .invalidHandshake,
                    configuration.isEncrypted
                        ? "the other end does not encrypt, as this end does"
                        : "the other end encrypts, and this end does not"
                )
            )
        }
        if isCentral {
            isLabelled = hello.isShared
            // One that others have overtaken.
            if case .open = state { return [] }
        } else if isFirst {
            guard !hello.isKnown else { return reset(.unknownSession, Self.forgotten) }
        } else {
            guard hello.session == session else {
                return over(
                    SocketError(.lostConnection, "the other end has begun another connection")
                )
            }
        }
        // A later one of a link may have been overtaken by what has come since.
        if case .greeting = state, !sender.hasConfirmed(noMoreThan: hello.received) {
            return violate("a hello that lacks what was confirmed, perhaps by a stranger")
        }
        guard sender.resume(from: hello.received, limit: hello.limit, at: now) else {
            return violate("a hello that confirms what was not sent")
        }
        isHelloDue = !isCentral
        let isResumed = isKnown
        isKnown = true
        guard case .greeting = state else { return reportConfirmed() }
        state = .open
        lingerIfComplete(at: now)
        return [.opened(isResumed: isResumed)] + reportConfirmed()
    }

    // MARK: - The end

    /// Whether both ends have all.
    var isComplete: Bool { sender.isEndConfirmed && receiver.isComplete }

    /// Both ends have all: the other end is told, and may ask for a while yet.
    mutating func lingerIfComplete(at now: Duration) {
        guard case .open = state, isComplete else { return }
        state = .lingering(until: now + configuration.lingering)
        acknowledge(by: now)
        lastFrame = .reset(.done)
    }

    /// The other end has ended the session.
    mutating func receive(_ reason: StreamReset) -> [Action] {
        if isCentral, reason.isRefusal, !isGreeting { return [] }
        return switch reason {
        case .done where receiver.isComplete && sender.isEnded:
            // Also of what is confirmed, and was overtaken.
            confirmAll() + over(nil)
        case .closed:
            over(SocketError(.lostConnection, "the other end closed the connection"))
        case .unknownSession:
            over(Self.forgotten)
        case .full:
            over(SocketError(.busy, "the other end has as many connections as it takes"))
        case .encryption:
            over(
                SocketError(
                    .invalidHandshake,
                    "the other end refused this one: it wants another key or passphrase, or no encryption"
                )
            )
        default:
            over(
                SocketError(
                    .malformedData,
                    "the other end closed the connection: what it got is not the protocol's "
                        + "(\(reason.rawValue))"
                )
            )
        }
    }

    /// Whether a hello has had no reply yet: any other refusal is for another session with this one's label, or nobody's.
    private var isGreeting: Bool {
        if case .greeting = state { true } else { false }
    }

    private mutating func confirmAll() -> [Action] {
        sender.confirmAll()
        return reportConfirmed()
    }

    private static var forgotten: SocketError {
        SocketError(
            .lostConnection,
            "the other end has begun anew: what it had not read is lost"
        )
    }

    /// The other end sent what it must not.
    mutating func violate(_ what: String) -> [Action] {
        reset(.violation, SocketError(.malformedData, "the other end sent \(what)"))
    }

    /// How long there may be no link; less for an end that has all, which waits for the other one's sake.
    var absenceLimit: Duration {
        if !isKnown, let limit = configuration.openLimit { return limit }
        return isComplete
            ? min(configuration.returnLimit, configuration.resumptionLimit)
            : configuration.resumptionLimit
    }

    private var absence: SocketError {
        isKnown
            ? SocketError(
                .lostConnection,
                "the connection did not come back within \(absenceLimit.inUnits)"
            )
            : SocketError(
                .timedOut,
                "the other end did not say hello within \(absenceLimit.inUnits)"
            )
    }

    /// Ends the session, and tells the other end why if there is a link.
    mutating func reset(_ reason: StreamReset, _ error: SocketError?) -> [Action] {
        switch state {
        case .greeting, .open:
            lastFrame = .reset(reason)
            hasReset = true
        case .unlinked, .lingering, .closed: break
        }
        return over(error)
    }

    private mutating func over(_ error: SocketError?) -> [Action] {
        state = .closed
        return [.close(error)]
    }
}
