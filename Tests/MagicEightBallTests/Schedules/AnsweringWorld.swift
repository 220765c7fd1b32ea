import BLE
import BLETesting
import Logging

@testable import MagicEightBall

/// A ball, its radio, askers, source of answers and owner, of which the seed decides all.
///
/// First anything may happen; then, for half of the seeds, all goes well and each asker asks once more
/// and must read its answer; last the ball is stopped, and nothing may be left.
///
/// Unchecked, as ``Scheduler``.
final class AnsweringWorld: @unchecked Sendable {
    static let timeouts = Timeouts(
        thinking: .seconds(20),
        settling: .seconds(1),
        reply: .seconds(15),
        closing: .seconds(3),
        radio: .seconds(6),
        retry: .seconds(1)
    )

    /// What an asker knows, for its own part.
    struct Asking {
        /// The private questions that were accepted, with their tags.
        var tags: [QuestionTag: String] = [:]
    }

    let schedule: Schedule
    let radio: ScheduledPeripheralRadio
    let observer: CheckedPeripheralObserver
    let askers: [PeerID]
    /// Let go of at the end.
    var ball: EightBallPeripheral?
    weak var weakBall: EightBallPeripheral?
    var asking: [PeerID: Asking] = [:]
    /// What was begun and has not ended: its name, until when it must.
    var calls: [Int: (name: String, deadline: Duration?)] = [:]
    var tasks: [Int: Task<Void, Never>] = [:]
    var accepted: Set<String> = []
    var refused: Set<String> = []
    let source: ScheduledSource
    /// How many programs may ask the ball over one device at once.
    let programCount: Int
    private var lastNumber = 0

    init(_ schedule: Schedule) {
        self.schedule = schedule
        let dice = schedule.scheduler
        askers = (0..<dice.number(in: 1...3)).map { PeerID(rawValue: "A\($0)") }
        radio = ScheduledPeripheralRadio(schedule)
        observer = CheckedPeripheralObserver(schedule)
        source = ScheduledSource(schedule)
        let waiting = dice.element(of: [0, 1, 2, 6]) ?? 0
        let atOnce = dice.number(in: 1...2)
        programCount = max(1, min(3, (waiting + atOnce) / 2))
        let ball = EightBallPeripheral(
            radio: radio,
            name: "Ball",
            answers: dice.chance(20) ? .manual : source.answers,
            waiting: waiting,
            atOnce: atOnce,
            limit: dice.chance(20) ? QuestionLimit(count: 3, per: .seconds(30)) : nil,
            timeouts: Self.timeouts,
            clock: schedule.clock,
            logger: .silent
        )
        self.ball = ball
        weakBall = ball
        Task { [observer] in await ball.addObserver(observer) }
        schedule.settle()
        observer.act = { [weak self] _ in await self?.actInCallback() }
    }

    /// Plays one schedule.
    ///
    /// - Returns: how many questions were asked.
    static func play(_ schedule: Schedule) -> Int {
        let world = AnsweringWorld(schedule)
        world.start()
        if schedule.scheduler.chance(90) { world.settleWell() }
        world.anythingGoes(steps: schedule.scheduler.number(in: 10...120))
        if !world.radio.power.isClosed, schedule.scheduler.chance(50) { world.allGoesWell() }
        world.endAll()
        return world.accepted.count + world.refused.count
    }

    func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// Runs what has to end within a time, or whenever it likes.
    func call(
        _ name: String,
        within limit: Duration?,
        _ work: @escaping @Sendable () async -> Void
    ) {
        let number = newNumber()
        schedule.note("call: \(name)")
        calls[number] = (name, limit.map { schedule.now + $0 })
        let priorities: [TaskPriority] = [.low, .medium, .high]
        tasks[number] = Task(priority: schedule.scheduler.element(of: priorities)) {
            await work()
            self.calls[number] = nil
            self.tasks[number] = nil
            self.schedule.note("ended: \(name)")
        }
    }

    func start() {
        guard let ball else { return }
        // It waits for a stop before; when it is stopped meanwhile, what was shown is taken back first.
        let stopping = Self.timeouts.closing + Self.timeouts.settling + Self.timeouts.radio
        call("start", within: .seconds(5) + stopping + Self.timeouts.radio * 2) {
            do {
                try await ball.start()
            } catch {
                self.schedule.note("start failed: \(error)")
            }
        }
    }

    func stop() {
        guard let ball else { return }
        let limit = Self.timeouts.closing + Self.timeouts.settling + Self.timeouts.radio
        guard schedule.scheduler.chance(30) else {
            return call("stop", within: limit) { await ball.stop() }
        }
        call("finish", within: .seconds(5) + limit) { await ball.stop(finishing: .seconds(5)) }
    }

    /// Now and then an observer does something itself, and waits for it.
    private func actInCallback() async {
        guard schedule.scheduler.chance(2), let ball else { return }
        if schedule.scheduler.chance(30) {
            schedule.note("stop, in a callback")
            await ball.stop()
        } else if let (question, asker) = observer.questions.last {
            schedule.note("answer \(question), in a callback")
            do {
                try await asker.sendAnswer(Answer(received: "A \(question)"), to: question)
            } catch {
                schedule.note("not answered: \(error)")
            }
        }
    }
}
