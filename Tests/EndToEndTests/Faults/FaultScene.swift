import BLEDBus
import BLELocking
import MagicEightBall
import Testing

/// An asker and a ball that get on with each other, when a fault comes.
final class FaultScene: PlayedScene {
    /// How it went.
    struct Outcome {
        let asker: [String]
        let ball: [String]
        /// From the fault's end to the next answer; `nil` when none has to come.
        let recovery: Duration?
        let askedCount: Int
        let lostCount: Int
        let remark: String
    }

    let world: any World
    let asker: RecordingAsker
    let ball: any RecordedBall
    /// Another program on the bus.
    let stranger: Connection
    private let fault: Fault
    private let remarks = Locked<[String]>([])
    private let kept = Locked<[any Sendable]>([])

    /// How long anything may take that has no limit of the SDK.
    static let patience = Duration.seconds(20 * WorldKind.current.slowness)

    /// Shorter limits than the SDK's own, so that a fault shows soon.
    static let timeouts: Timeouts = {
        let unit = Duration.seconds(WorldKind.current.slowness)
        return Timeouts(
            discovery: unit * 2,
            loss: unit * 3,
            connection: unit * 2,
            resolution: unit * 2,
            subscription: unit * 2,
            acceptance: unit * 2,
            answer: unit * 2,
            privateAnswer: unit * 4,
            question: unit * 8,
            radio: unit * 3,
            retry: unit / 5
        )
    }()

    /// Lets both begin; returns when a question was answered.
    init(_ fault: Fault, in world: any World) async throws {
        self.world = world
        self.fault = fault
        stranger = try await world.observer()
        if fault.hasBallProcess {
            ball = try await BallProcess(in: world)
        } else {
            ball = try await BallHere(in: world, Self.timeouts)
        }
        asker = try await RecordingAsker(in: world, on: "00:AA:01:00:00:00", Self.timeouts)
        try #require(try await asker.recover(within: Self.patience) != nil, "it is ill already")
        try #require(await asker.settle())
        let isDelivered = await ball.told.wait(within: Self.patience) { $0.contains("delivered") }
        try #require(isDelivered)
    }

    /// The ball's process, of a fault that has one.
    var process: BallProcess {
        get throws { try #require(ball as? BallProcess) }
    }

    /// Says something in the fault's row.
    func note(_ remark: String) {
        remarks.withLock { $0.append(remark) }
    }

    /// Holds something of another program, until it is let go.
    func keep(_ something: any Sendable) {
        kept.withLock { $0.append(something) }
    }

    /// Lets go what was kept: descriptors are closed, programs leave the bus.
    func letGo() async {
        let kept = kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
        for ball in kept.compactMap({ $0 as? ScriptedBall }) { await ball.leave() }
    }

    /// Lets the fault come and go, and looks what becomes of asker and ball.
    func play() async throws -> Outcome {
        let (asker, ball) = (asker, ball)
        let waiting = try await beginWaiting()
        let (heard, shown) = (asker.told.count, ball.told.count)
        try await fault.make(self)
        if case .failed(let codes) = fault.waiting {
            let ending = try #require(await waiting?.value)
            expect(ending, isOneOf: codes)
        } else if case .none = fault.waiting {
            if case .hung = await asker.ask() { Issue.record("a question hangs") }
        }
        try await fault.undo(self)
        await ball.letAnswer()
        let end = ContinuousClock.now
        if case .answered = fault.waiting {
            let ending = try #require(await waiting?.value)
            if case .answered = ending {} else { Issue.record("\(ending)") }
        }
        var recovery: Duration?
        if fault.recovers {
            if try await asker.recover(within: Self.patience) != nil {
                recovery = end.duration(to: .now)
            } else {
                Issue.record("no answer came for \(Self.patience); at last, \(asker.lastFailure)")
            }
        }
        #expect(await asker.settle(), "observers were not told of the end of each question")
        await expect(fault.asker, from: heard, of: asker.told, "asker")
        await expect(fault.ball, from: shown, of: ball.told, "ball")
        #expect(asker.lostCount == 0)
        return Outcome(
            asker: asker.told.lines(from: heard).withoutRepetitions,
            ball: ball.told.lines(from: shown).withoutRepetitions,
            recovery: recovery,
            askedCount: asker.askedCount,
            lostCount: asker.lostCount,
            remark: remarks.withLock { $0.joined(separator: ", ") }
        )
    }

    func end() async {
        await asker.stop()
        await ball.stop()
        await stranger.close()
    }

    /// Asks the question that waits when the fault comes, if there has to be one.
    private func beginWaiting() async throws -> Task<RecordingAsker.Ending, Never>? {
        if case .none = fault.waiting { return nil }
        let start = asker.told.count
        let task = Task { [asker] in await asker.ask(slowly) }
        let isAsked = await asker.told.wait(from: start, within: Self.patience) {
            $0.contains("asked")
        }
        try #require(isAsked)
        return task
    }

    private func expect(_ ending: RecordingAsker.Ending, isOneOf codes: [String]) {
        guard case .failed(let error) = ending else {
            Issue.record("the question that waited should have failed: \(ending)")
            return
        }
        #expect(codes.contains(error.shortDescription), "\(error)")
    }

    /// What is told when nothing is amiss.
    private static let usual: Set = ["asked", "answered", "question", "answer", "delivered"]

    private func expect(
        _ wanted: [String]?,
        from start: Int,
        of told: Chronicle,
        _ who: String
    ) async {
        if let wanted {
            let isTold = await told.wait(from: start, within: Self.patience) {
                wanted.areTold(in: $0)
            }
            #expect(isTold, "the \(who) should be told \(wanted): \(told.lines(from: start))")
        } else {
            let unusual = told.lines(from: start).filter { !Self.usual.contains($0) }
            #expect(unusual.isEmpty, "the \(who) should notice nothing")
        }
    }
}
