import BLETesting

/// Runs what is ready, one piece at a time; which piece is next, the seed decides.
///
/// Unchecked: all of a schedule runs on the one thread that ``GlobalJobs`` gives it. A lock would
/// only hide that something left it.
final class Scheduler: SerialExecutor, @unchecked Sendable {
    private enum Piece {
        /// A task goes on, or an actor takes what waits for it.
        case job(UnownedJob)
        /// Something happens outside of the SDK.
        case call(() -> Void)
    }

    private var ready: [Piece] = []
    private var generator: SeededGenerator
    /// How many pieces have been run.
    private(set) var count = 0

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    var isIdle: Bool { ready.isEmpty }

    func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    /// Adds a job that was meant for Swift's own threads.
    func add(_ job: UnownedJob) { ready.append(.job(job)) }

    /// Lets something happen at any time from now on, before the clock moves.
    func later(_ call: @escaping () -> Void) { ready.append(.call(call)) }

    /// Gives way to everything else that is ready.
    func hop() async {
        await withUnsafeContinuation { continuation in later { continuation.resume() } }
    }

    /// Runs one piece.
    func runNext() {
        let index = ready.indices.randomElement(using: &generator) ?? 0
        ready.swapAt(index, ready.count - 1)
        count += 1
        switch ready.removeLast() {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .call(let call): call()
        }
    }

    /// A number of the same row that decides the order.
    func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
        elements.randomElement(using: &generator)
    }

    /// Whether something happens that happens so often of a hundred times.
    func chance(_ percent: Int) -> Bool { number(in: 1...100) <= percent }
}
