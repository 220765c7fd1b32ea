import BLE
import BLETesting
import Logging

@testable import MagicEightBall

/// A central, its radio, balls and users, of which the seed decides all.
///
/// First anything may happen; then, for half of the seeds, everything goes well until each question
/// has ended, and each ball is asked once more and must answer; last the central is stopped, and
/// nothing may be left.
///
/// Unchecked, as ``Scheduler``.
final class AskingWorld: @unchecked Sendable {
    static let timeouts = Timeouts(
        discovery: .seconds(9),
        loss: .seconds(20),
        connection: .seconds(7),
        resolution: .seconds(8),
        subscription: .seconds(2),
        acceptance: .seconds(3),
        answer: .seconds(5),
        privateAnswer: .seconds(14),
        question: .seconds(40),
        idleLink: .seconds(30),
        earlyAnswer: .seconds(1),
        radio: .seconds(6),
        retry: .seconds(1)
    )

    /// Something that was begun and has to end: a question, a search, a start, a stop.
    struct Call {
        let name: String
        /// When it must have ended; `nil` when nothing limits it.
        let deadline: Duration?
        let task: Task<Void, Never>?
    }

    let schedule: Schedule
    let radio: ScheduledCentralRadio
    let observer: CheckedCentralObserver
    let balls: [PeerID]
    /// Let go of at the end.
    var central: EightBallCentral?
    weak var weakCentral: EightBallCentral?
    /// What is under way; a question that nobody waits for ends with what observers hear.
    var calls: [Int: Call] = [:]
    /// How each question ended for who asked; no entry for one that nobody waits for.
    var results: [Asked: Result<Answer, any Error>] = [:]
    /// An observer has asked or stopped within a callback, so what came after was told when that was over.
    var hasWaitedInCallback = false
    /// When it was known to who asked.
    var resultTimes: [Asked: Duration] = [:]
    var questions: [(asked: Asked, begun: Duration)] = []
    /// Questions to several balls: with the first answer the others are taken back.
    var isAskingAny: Set<String> = []
    var late: [CheckedCentralObserver] = []
    /// Read at the end; until then the events wait.
    var events = AsyncStream<CentralEvent> { nil }
    var streamed: [String] = []
    var isStarted = false
    var isScanning = true
    private var lastNumber = 0

    init(_ schedule: Schedule) {
        self.schedule = schedule
        let dice = schedule.scheduler
        balls = (0..<dice.number(in: 1...3)).map { PeerID(rawValue: "B\($0)") }
        radio = ScheduledCentralRadio(
            schedule: schedule,
            linkLimit: dice.number(in: 1...3),
            privateBalls: Set(balls.filter { _ in dice.chance(50) }),
            keepsReplies: dice.chance(70)
        )
        observer = CheckedCentralObserver(schedule)
        let whenBusy: BusyPolicy = dice.chance(50) ? .retry(pause: .milliseconds(1500)) : .giveUp
        let central = EightBallCentral(
            radio: radio,
            timeouts: Self.timeouts,
            whenBusy: whenBusy,
            maximumQuestionCount: dice.chance(50) ? 2 : 16,
            clock: schedule.clock,
            logger: .silent
        )
        self.central = central
        weakCentral = central
        Task { [observer] in
            await central.addObserver(observer)
            self.events = await central.events
        }
        schedule.settle()
        observer.act = { [weak self] central in await self?.actInCallback(central) }
    }

    /// Plays one schedule.
    ///
    /// - Returns: how many questions were asked.
    static func play(_ schedule: Schedule) -> Int {
        let world = AskingWorld(schedule)
        world.start()
        if schedule.scheduler.chance(90) { world.beginWell() }
        world.anythingGoes(steps: schedule.scheduler.number(in: 10...120))
        if !world.radio.power.isClosed, schedule.scheduler.chance(50) { world.allGoesWell() }
        world.endAll()
        return world.questions.count
    }

    // MARK: Calls

    /// Runs what has to end within a time, or whenever it likes.
    @discardableResult
    func call(
        _ name: String,
        within limit: Duration?,
        _ work: @escaping @Sendable () async -> Void
    ) -> Int {
        lastNumber += 1
        let number = lastNumber
        schedule.note("call: \(name)")
        let priorities: [TaskPriority] = [.low, .medium, .high]
        let task = Task(priority: schedule.scheduler.element(of: priorities)) {
            await work()
            self.calls[number] = nil
            self.schedule.note("ended: \(name)")
        }
        calls[number] = Call(name: name, deadline: limit.map { schedule.now + $0 }, task: task)
        return number
    }

    func start() {
        guard let central else { return }
        call("start", within: Self.timeouts.radio) {
            do {
                try await central.start()
                self.isStarted = true
                self.isScanning = true
            } catch {
                self.schedule.note("start failed: \(error)")
            }
        }
    }

    func stop() {
        guard let central else { return }
        isStarted = false
        observer.stopped()
        // Ends when the system has taken each link back; the world sees to that.
        call("stop", within: nil) { await central.stop() }
    }

    /// Asks in a task of its own.
    func ask(_ ball: any BallDevice) {
        guard let central, let question = newQuestion(for: ball) else { return }
        call("ask \(ball.id) \(question)", within: Self.timeouts.question) {
            await self.ask(question, ball, central)
        }
    }

    private func ask(_ question: Question, _ ball: any BallDevice, _ central: any AskingCentral)
        async
    {
        do {
            results[Asked(question.text, ball.id)] = .success(
                try await central.ask(question, of: ball)
            )
        } catch {
            results[Asked(question.text, ball.id)] = .failure(error)
        }
        resultTimes[Asked(question.text, ball.id)] = schedule.now
    }

    /// Connects, and holds the connection.
    func connect(_ ball: any BallDevice) {
        call("connect \(ball.id)", within: Self.timeouts.connection + Self.timeouts.resolution) {
            do {
                try await ball.connect()
            } catch is CancellationError {
            } catch is EightBallError {
            } catch {
                self.schedule.fault("connecting to \(ball.id) ended with \(error)")
            }
        }
    }

    func disconnect(_ ball: any BallDevice) {
        // Ends when the system has taken the link back; the world sees to that.
        call("disconnect \(ball.id)", within: nil) { await ball.disconnect() }
    }

    /// Asks so that only observers hear what comes of it.
    func sendQuestion(_ ball: any BallDevice) {
        guard let question = newQuestion(for: ball) else { return }
        call("send \(ball.id) \(question)", within: .zero) { await ball.sendQuestion(question) }
    }

    /// Asks all balls that were ever discovered, for the first answer.
    func askAny() {
        guard let central else { return }
        let devices = observer.devices.sorted { "\($0.key)" < "\($1.key)" }.map(\.value)
        guard let first = devices.first, let question = newQuestion(for: first) else { return }
        for device in devices.dropFirst() {
            questions.append((Asked(question.text, device.id), schedule.now))
        }
        isAskingAny.insert(question.text)
        call("ask any \(question)", within: Self.timeouts.question) {
            do {
                _ = try await central.ask(question, ofAny: devices)
            } catch {
                self.schedule.note("none answered: \(error)")
            }
        }
    }

    func discover() {
        guard let central else { return }
        let wanted = schedule.scheduler.element(of: balls)
        call("discover", within: Self.timeouts.discovery) {
            do {
                _ = try await central.discoverDevice { $0.id == wanted }
            } catch {
                self.schedule.note("not discovered: \(error)")
            }
        }
    }

    private func newQuestion(for ball: any BallDevice) -> Question? {
        lastNumber += 1
        guard let question = try? Question("Q\(lastNumber)?") else { return nil }
        questions.append((Asked(question.text, ball.id), schedule.now))
        return question
    }

    /// Now and then an observer does something itself, and waits for it.
    private func actInCallback(_ central: any AskingCentral) async {
        guard schedule.scheduler.chance(2), self.central != nil else { return }
        switch schedule.scheduler.number(in: 0...3) {
        case 0:
            schedule.note("stop, in a callback")
            isStarted = false
            observer.stopped()
            hasWaitedInCallback = true
            await central.stop()
        case 1:
            guard let ball = await central.devices.first, let question = newQuestion(for: ball)
            else { return }
            schedule.note("ask \(ball.id) \(question), in a callback")
            hasWaitedInCallback = true
            await ask(question, ball, central)
        case 2:
            guard let ball = await central.devices.first, let question = newQuestion(for: ball)
            else { return }
            schedule.note("send \(ball.id) \(question), in a callback")
            await ball.sendQuestion(question)
        default:
            await central.stopScanning()
            isScanning = false
        }
    }
}
