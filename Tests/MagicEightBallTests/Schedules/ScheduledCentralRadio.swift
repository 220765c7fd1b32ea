import BLE
import BLETesting

@testable import MagicEightBall

/// A radio whose replies, peers and failures come in any order that the port allows.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledCentralRadio: CentralRadio, @unchecked Sendable {
    /// What a request brings.
    struct Reply: Sendable {
        var value: [UInt8] = []
        var link: ScheduledLink?
        var events: AsyncThrowingStream<ScanEvent, any Error>?
    }

    let schedule: Schedule
    let power: ScheduledPower
    let executor: any RadioExecutor
    private(set) var requests: [Int: ScheduledRequest] = [:]
    private(set) var links: [ScheduledLink] = []
    private(set) var scans: [Int: AsyncThrowingStream<ScanEvent, any Error>.Continuation] = [:]
    /// How many links there can be.
    let linkLimit: Int
    /// Who has the private pair.
    let privateBalls: Set<PeerID>
    /// Whether balls keep a reply that was read, as those do that take several questions of one host.
    let keepsReplies: Bool
    private let waiting = Waiting<Reply>()
    private var lastNumber = 0

    init(schedule: Schedule, linkLimit: Int, privateBalls: Set<PeerID>, keepsReplies: Bool) {
        self.schedule = schedule
        power = ScheduledPower(schedule.scheduler)
        executor = ScheduledExecutor(schedule.scheduler)
        self.linkLimit = linkLimit
        self.privateBalls = privateBalls
        self.keepsReplies = keepsReplies
    }

    var state: RadioState { get async { power.current } }

    func states() async -> AsyncStream<RadioState> { await power.states() }

    func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        let reply = try await perform(.scan)
        guard let events = reply.events else { throw RadioError(.failed, "no scan") }
        return events
    }

    func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link {
        let reply = try await perform(.connect(peer))
        guard let link = reply.link else { throw RadioError(.failed, "no link") }
        return link
    }

    /// Makes a request known, and waits for the reply, or until cancelled.
    func perform(_ kind: ScheduledRequest.Kind) async throws -> Reply {
        await schedule.scheduler.hop()
        let reply = try await waiting.wait { number in
            requests[number] = ScheduledRequest(number: number, kind: kind)
        } cancelled: { number in
            if let request = self.requests.removeValue(forKey: number) {
                self.schedule.note("cancelled: \(request.name)")
                if self.schedule.scheduler.chance(50) { _ = self.carryOut(request) }
            }
        }
        await schedule.scheduler.hop()
        return reply
    }

    // MARK: What the world says

    /// Carries a request out, and replies.
    func succeed(_ request: ScheduledRequest) {
        requests[request.number] = nil
        switch carryOut(request) {
        case .success(let reply): waiting.resume(request.number, with: .success(reply))
        case .failure(let error): waiting.resume(request.number, with: .failure(error))
        }
    }

    func fail(_ request: ScheduledRequest, _ error: any Error) {
        schedule.note("fails: \(request.name): \(error)")
        requests[request.number] = nil
        waiting.resume(request.number, with: .failure(error))
    }

    /// What a request does, also when nobody waits for its reply any more.
    private func carryOut(_ request: ScheduledRequest) -> Result<Reply, any Error> {
        if let failure = failure(of: request) {
            schedule.note("fails: \(request.name): \(failure.code)")
            return .failure(failure)
        }
        schedule.note("done: \(request.name)")
        switch request.kind {
        case .scan:
            return .success(Reply(events: beginScan()))
        case .resolve:
            return .success(Reply())
        case .connect(let peer):
            // Nobody takes the link of a caller that has gone.
            guard waiting.numbers.contains(request.number) else { return .success(Reply()) }
            return .success(Reply(link: makeLink(to: peer)))
        case .disconnect:
            return .success(Reply())
        case .subscribe(let link, let attribute):
            link.subscribed.insert(attribute)
        case .unsubscribe(let link, let attribute):
            link.subscribed.remove(attribute)
        case .write(let link, let value, let attribute):
            if attribute == EightBallService.question {
                link.accepted.append((String(decoding: value, as: UTF8.self), nil))
            } else if let privateQuestion = PrivateQuestion(received: value) {
                let text = String(decoding: privateQuestion.question, as: UTF8.self)
                link.accepted.append((text, privateQuestion.tag))
            } else {
                schedule.fault("a private question that is none: \(value)")
            }
        case .read(let link, _):
            return .success(Reply(value: link.nextReply()))
        }
        return .success(Reply())
    }

    private func failure(of request: ScheduledRequest) -> RadioError? {
        if case .disconnect = request.kind { return nil }
        if let link = request.link {
            return link.isUp ? nil : RadioError(.peerGone, "the link \(link) has ended")
        }
        switch power.current {
        case .on: break
        case .off: return RadioError(.off, "the radio is off")
        case .absent: return RadioError(.noService, "the radio is absent")
        }
        guard case .connect = request.kind else { return nil }
        let count = Set(links.lazy.filter(\.isUp).map(\.peer)).count
        return count < linkLimit ? nil : RadioError(.limitReached, "\(count) links")
    }

    private func beginScan() -> AsyncThrowingStream<ScanEvent, any Error> {
        let (events, continuation) = AsyncThrowingStream.makeStream(of: ScanEvent.self)
        lastNumber += 1
        scans[lastNumber] = continuation
        continuation.onTermination = { [number = lastNumber] _ in self.scans[number] = nil }
        return events
    }

    private func makeLink(to peer: PeerID) -> ScheduledLink {
        lastNumber += 1
        let isPrivate = privateBalls.contains(peer)
        let services = isPrivate ? [EightBallService.description] : []
        let link = ScheduledLink(number: lastNumber, peer: peer, services: services, radio: self)
        links.append(link)
        return link
    }

    /// All that is said over a peer's links ends, in any order.
    func drop(_ peer: PeerID, _ cause: RadioError) {
        for link in links where link.peer == peer && link.isUp {
            schedule.note("the link \(link) ends")
            schedule.scheduler.later { link.end(cause) }
            for request in requests.values.sorted(by: { $0.number < $1.number })
            where request.link === link {
                schedule.scheduler.later {
                    guard self.requests[request.number] != nil else { return }
                    if case .disconnect = request.kind {
                        self.succeed(request)
                    } else {
                        self.fail(request, RadioError(.peerGone, "the link \(link) has ended"))
                    }
                }
            }
        }
    }

    func report(_ event: ScanEvent) {
        for number in scans.keys.sorted() { scans[number]?.yield(event) }
    }

    /// The radio goes off, away or on: each who should know is told, in any order.
    func become(_ state: RadioState) {
        schedule.note("the radio becomes \(state)")
        power.become(state)
        guard state != .on else { return }
        let error = RadioError(state == .off ? .off : .noService, "the radio became \(state)")
        for number in scans.keys.sorted() {
            schedule.scheduler.later {
                self.scans.removeValue(forKey: number)?.finish(throwing: error)
            }
        }
        for peer in Set(links.lazy.filter(\.isUp).map(\.peer)).sorted(by: { "\($0)" < "\($1)" }) {
            drop(peer, error)
        }
        for request in requests.values.sorted(by: { $0.number < $1.number })
        where request.link == nil {
            schedule.scheduler.later {
                if self.requests[request.number] != nil { self.fail(request, error) }
            }
        }
    }

    /// The radio is closed for good.
    func close() {
        schedule.note("the radio is closed")
        become(.absent)
        power.close()
    }
}
