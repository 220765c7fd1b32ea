import BLEDBus
import BLEDBusTesting
import MagicEightBall
import Testing
import VirtualBlueZ

@testable import BlueZ

/// One ball of the SDK on `hci0`, and askers on the other adapters of one virtual BlueZ.
@Suite(
    "Several askers over the air",
    .enabled(if: WorldKind.current == .virtual, "it needs 65 adapters"),
    .timeLimit(.minutes(10))
)
struct SeveralAskersTests {
    /// A ball, and the world around it.
    private struct Scene {
        let daemon: VirtualDaemon
        let radio: Adapter
        let ball: EightBallPeripheral
        let askers: AskersBus
        private let bus: PrivateBus

        init(adapters: Int, waiting: Int = 16, _ source: AnswerSource) async throws {
            bus = try await PrivateBus.start()
            // On one bus the ball hears also what its askers are told, which no real one does; on a
            // busy machine that may take longer than a read may wait.
            let timing = Timing(
                connecting: .milliseconds(1),
                resolving: .milliseconds(2),
                disconnecting: .milliseconds(20),
                handlerLimit: .seconds(30)
            )
            daemon = try await VirtualDaemon.start(
                on: bus.address,
                adapters: adapters,
                timing: timing
            )
            var recovery = Recovery()
            recovery.responderLimit = timing.handlerLimit
            radio = try await Adapter.open("hci0", at: BusAddress(bus.address), recovery: recovery)
            ball = EightBallPeripheral(
                radio: radio,
                name: "Ball",
                answers: source,
                waiting: waiting
            )
            try await ball.start()
            askers = try await AskersBus(bus.address)
        }

        func asker(_ number: Int, hearing uuid: String = RawAsker.reply) async throws -> RawAsker {
            let asker = try await RawAsker("hci\(number)", on: askers)
            try await asker.subscribe(to: uuid)
            return asker
        }

        func end() async {
            await ball.stop()
            await askers.connection.close()
            await radio.close()
            await daemon.stop()
        }
    }

    /// Opens when enough have come: questions that were accepted, and askers that were refused.
    private actor Gate: PeripheralObserver {
        private var missing: Int
        private let opening: AsyncStream<Never>
        private let open: AsyncStream<Never>.Continuation

        init(_ count: Int) {
            missing = count
            (opening, open) = AsyncStream.makeStream()
        }

        func come() {
            missing -= 1
            if missing == 0 { open.finish() }
        }

        func wait() async {
            for await _ in opening {}
        }

        func peripheral(
            _ peripheral: any AnsweringPeripheral,
            didReceive question: Question,
            from device: any AskerDevice
        ) async {
            come()
        }
    }

    /// The codes with which an asker was refused; it comes to the gate with the first.
    private actor Refusals {
        private(set) var codes: [UInt8] = []
        private let gate: Gate

        init(_ gate: Gate) { self.gate = gate }

        func add(_ code: UInt8) async {
            codes.append(code)
            if codes.count == 1 { await gate.come() }
        }
    }

    /// An answer that only one question has.
    private static func answer(to question: String) -> String {
        "to '\(question)' I say \(String(question.reversed()))"
    }

    /// Answers by that, but none before the gate has opened.
    private static func source(behind gate: Gate) -> AnswerSource {
        AnswerSource { question, _ in
            await gate.wait()
            return try Answer(answer(to: question.text))
        }
    }

    @Test(arguments: [(64, 64), (64, 16)])
    func `have each its own answer, and nobody else's`(count: Int, waiting: Int) async throws {
        let gate = Gate(count)
        let scene = try await Scene(
            adapters: count + 2,
            waiting: waiting,
            Self.source(behind: gate)
        )
        await scene.ball.addObserver(gate)
        let onlooker = try await scene.asker(count + 1)
        try await onlooker.subscribe(to: RawAsker.answer)
        var askers: [(number: Int, asker: RawAsker, refusals: Refusals)] = []
        for number in 1...count {
            askers.append((number, try await scene.asker(number), Refusals(gate)))
        }

        let outcomes = try await withThrowingTaskGroup(of: (Int, RawAsker.Outcome).self) { group in
            for (number, asker, refusals) in askers {
                group.addTask {
                    let question = "Is \(number * 7919) it?"
                    let outcome = try await asker.askPrivately(question, tag: UInt64(number)) {
                        await refusals.add($0)
                        return true
                    }
                    return (number, outcome)
                }
            }
            return try await group.reduce(into: [Int: RawAsker.Outcome]()) { $0[$1.0] = $1.1 }
        }

        let own = outcomes.filter { number, outcome in
            outcome == .told(status: 0, text: Self.answer(to: "Is \(number * 7919) it?"))
        }
        let lost = outcomes.values.filter { $0 == .lost }.count
        var codes: [UInt8] = []
        for asker in askers { codes += await asker.refusals.codes }
        print(
            """
            askers | waiting | asked | answered | own answer | refused | lost | crossed
            \(count) | \(waiting) | \(count + codes.count) | \(outcomes.count - lost) | \
            \(own.count) | \(codes.count) | \(lost) | \(outcomes.count - own.count - lost)
            """
        )
        #expect(own.count == count)
        #expect(codes.allSatisfy { $0 == 0x90 })
        // One is thought about, besides those that wait.
        let fewest = max(count - waiting - 1, 0)
        #expect(fewest == 0 ? codes.isEmpty : codes.count >= fewest)

        for _ in 1...count {
            let told = try #require(await onlooker.told())
            #expect(told.uuid == RawAsker.reply && told.value.count == 9 && told.value[0] == 1)
        }
        #expect(try await onlooker.read(RawAsker.reply) == [])
        #expect(try await onlooker.read(RawAsker.answer) == [])
        print("an onlooker | was told of \(count) replies | saw answers: 0")
        await scene.end()
    }

    @Test func `get theirs side by side with an original one`() async throws {
        let gate = Gate(3)
        let scene = try await Scene(adapters: 4, Self.source(behind: gate))
        await scene.ball.addObserver(gate)
        let original = try await scene.asker(1, hearing: RawAsker.answer)
        let first = try await scene.asker(2)
        let second = try await scene.asker(3)
        async let plain = original.ask("An original's?")
        async let one = first.askPrivately("The first's?", tag: 1)
        async let other = second.askPrivately("The second's?", tag: 2)
        let outcomes = try await [plain, one, other]
        let questions = ["An original's?", "The first's?", "The second's?"]
        for (question, outcome) in zip(questions, outcomes) {
            print("side by side | \(question) | \(outcome)")
            #expect(outcome == .told(status: 0, text: Self.answer(to: question)))
        }
        await scene.end()
    }

    @Test func `are refused with each code, at once and afterwards`() async throws {
        let reasons: [RejectionReason] = [
            .deviceBusy, .questionPlease, .tooLong, .malformed, .deviceOffline, .peripheralError,
            .tooManyQuestions, .refused,
        ]
        let source = AnswerSource { question, _ in
            let reason = reasons.first { question.text == "\($0.name), later?" }
            throw reason?.saying("in words") ?? .refused
        }
        let scene = try await Scene(
            adapters: 2,
            source.refusing { question, _ in reasons.first { question.text == "\($0.name), now?" } }
        )
        let asker = try await scene.asker(1)
        print("reason | plain, at once | private, at once | private, afterwards")
        for (number, reason) in reasons.enumerated() {
            let plain = try await asker.ask("\(reason.name), now?")
            #expect(plain == .refused(reason == .questionPlease ? 0x0E : reason.code))
            let early = try await asker.askPrivately("\(reason.name), now?", tag: UInt64(number))
            #expect(early == .refused(reason.code))
            let late = try await asker.askPrivately("\(reason.name), later?", tag: UInt64(number))
            #expect(late == .told(status: reason.code, text: "in words"))
            print("\(reason.name) | \(plain) | \(early) | \(late)")
        }
        await scene.end()
    }

    @Test func `take their question along when they leave`() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (never, _) = AsyncStream.makeStream(of: Never.self)
        let source = AnswerSource { question, _ in
            guard question.text == "Will you wait?" else { return Answer(.yes) }
            begin.yield()
            for await _ in never {}
            end.yield(Task.isCancelled)
            throw CancellationError()
        }
        let scene = try await Scene(adapters: 3, source)
        let leaving = try await scene.asker(1)
        let staying = try await scene.asker(2)
        async let left = leaving.askPrivately("Will you wait?", tag: 1)
        for await _ in begins { break }
        async let stayed = staying.askPrivately("And me?", tag: 2)
        try await leaving.leave()
        for await isCancelled in ends {
            #expect(isCancelled)
            break
        }
        #expect(try await left == .lost)
        #expect(try await stayed == .told(status: 0, text: "SLUG-ANSWER-08"))
        print("an asker that leaves | its handler is cancelled | the next one is answered")
        await scene.end()
    }
}
