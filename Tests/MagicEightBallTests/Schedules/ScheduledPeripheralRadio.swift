import BLE
import BLETesting

@testable import MagicEightBall

/// A radio on which a ball is shown, and whose replies and failures come in any order that the port
/// allows.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledPeripheralRadio: PeripheralRadio, @unchecked Sendable {
    enum Kind: Sendable {
        case publish(any GATTResponder)
        case update(ScheduledPublication, AttributeID, [UInt8])
        case disconnect(ScheduledPublication, PeerID)
        case withdraw(ScheduledPublication)

        var name: String {
            switch self {
            case .publish: "publish"
            case .update(let publication, _, _): "update #\(publication.number)"
            case .disconnect(let publication, let central):
                "disconnect \(central) #\(publication.number)"
            case .withdraw(let publication): "withdraw #\(publication.number)"
            }
        }
    }

    let schedule: Schedule
    let power: ScheduledPower
    let executor: any RadioExecutor
    /// Whether services stay while there is no power, as in BlueZ; nobody can be connected then.
    let keepsServices: Bool
    private(set) var requests: [Int: Kind] = [:]
    private(set) var publications: [ScheduledPublication] = []
    /// The replies that subscribers were notified of.
    var notified: [QuestionTag] = []
    private let waiting = Waiting<ScheduledPublication?>()

    init(_ schedule: Schedule) {
        self.schedule = schedule
        power = ScheduledPower(schedule.scheduler)
        executor = ScheduledExecutor(schedule.scheduler)
        keepsServices = schedule.scheduler.chance(50)
    }

    var state: RadioState { get async { power.current } }

    func states() async -> AsyncStream<RadioState> { await power.states() }

    /// The publication that is served now.
    var current: ScheduledPublication? {
        power.current == .on ? publications.last { $0.isUp } : nil
    }

    func publish(
        _ services: [GATTService],
        advertising advertisement: Advertisement?,
        options: PublicationOptions,
        responder: any GATTResponder
    ) async throws -> any Publication {
        guard let publication = try await perform(.publish(responder)) else {
            throw RadioError(.failed, "no publication")
        }
        return publication
    }

    func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
        throw RadioError(.unsupported, "this radio advertises what it publishes alone")
    }

    /// Makes a request known, and waits for the reply, or until cancelled.
    func perform(_ kind: Kind) async throws -> ScheduledPublication? {
        await schedule.scheduler.hop()
        switch kind {
        case .update(let publication, _, _), .disconnect(let publication, _):
            if !publication.isUp {
                throw RadioError(.withdrawn, "the publication #\(publication.number) has ended")
            }
        case .publish, .withdraw: break
        }
        let publication = try await waiting.wait { number in
            requests[number] = kind
        } cancelled: { number in
            guard let kind = self.requests.removeValue(forKey: number) else { return }
            self.schedule.note("cancelled: \(kind.name)")
            // A withdrawal goes on without who called.
            if case .withdraw(let publication) = kind { self.finish(publication) }
        }
        await schedule.scheduler.hop()
        return publication
    }

    // MARK: What the world says

    func succeed(_ number: Int) {
        guard let kind = requests.removeValue(forKey: number) else { return }
        if power.current != .on, case .publish = kind { return refuse(number, kind, .off) }
        schedule.note("done: \(kind.name)")
        note(kind)
        switch kind {
        case .publish(let responder):
            let publication = ScheduledPublication(
                number: number,
                radio: self,
                responder: responder
            )
            publications.append(publication)
            waiting.resume(number, with: .success(publication))
        case .update(let publication, _, _), .disconnect(let publication, _):
            guard publication.isUp else { return refuse(number, kind, .withdrawn) }
            waiting.resume(number, with: .success(nil))
        case .withdraw(let publication):
            finish(publication)
            waiting.resume(number, with: .success(nil))
        }
    }

    private func note(_ kind: Kind) {
        guard case .update(_, EightBallService.reply, let value) = kind,
            let tag = Reply(received: value)?.tag
        else { return }
        notified.append(tag)
    }

    /// Nothing more comes, and what was to be told is not.
    private func finish(_ publication: ScheduledPublication) {
        publication.end()
        for (number, kind) in requests.sorted(by: { $0.key < $1.key }) {
            switch kind {
            case .update(let its, _, _) where its === publication,
                .disconnect(let its, _) where its === publication:
                break
            case .publish, .update, .disconnect, .withdraw: continue
            }
            schedule.scheduler.later { self.fail(number, .withdrawn) }
        }
    }

    func fail(_ number: Int, _ code: RadioError.Code) {
        guard let kind = requests[number] else { return }
        if case .withdraw = kind { return succeed(number) }
        requests[number] = nil
        refuse(number, kind, code)
    }

    private func refuse(_ number: Int, _ kind: Kind, _ code: RadioError.Code) {
        schedule.note("fails: \(kind.name): \(code)")
        waiting.resume(number, with: .failure(RadioError(code, "as the seed wants")))
    }

    /// The publication ends by itself.
    func end(_ publication: ScheduledPublication, _ code: RadioError.Code) {
        guard publication.isUp, !publication.isGivenUp else { return }
        schedule.note("the publication #\(publication.number) ends: \(code)")
        publication.tell { await $0.handle(.ended(RadioError(code, "it ended"))) }
        finish(publication)
    }

    /// The radio goes off, away or on: each who should know is told, in any order.
    func become(_ state: RadioState) {
        schedule.note("the radio becomes \(state)")
        power.become(state)
        guard state != .on else { return }
        let code: RadioError.Code = state == .off ? .off : .noService
        let keeps = keepsServices && state == .off
        for publication in publications where publication.isUp && !keeps {
            schedule.scheduler.later { self.end(publication, code) }
        }
        for number in requests.keys.sorted() {
            schedule.scheduler.later { self.fail(number, code) }
        }
    }

    /// The radio is closed for good.
    func close() {
        schedule.note("the radio is closed")
        become(.absent)
        power.close()
    }
}
