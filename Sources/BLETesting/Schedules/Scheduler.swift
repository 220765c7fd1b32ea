/// Runs what is ready, one piece at a time; which piece is next, the seed decides.
///
/// Unchecked: all of a schedule runs on the one thread that ``GlobalJobs`` gives it. A lock would
/// only hide that something left it.
package final class Scheduler: SerialExecutor, @unchecked Sendable {
    private enum Piece {
        /// A task goes on, or an actor takes what waits for it.
        case job(UnownedJob)
        /// Something happens outside of the code that is tested.
        case call(() -> Void)
    }

    private var ready: [Piece] = []
    private var generator: SeededGenerator
    /// How many pieces have been run.
    package private(set) var count = 0

    package init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    package var isIdle: Bool { ready.isEmpty }

    package func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

    /// Adds a job that was meant for Swift's own threads.
    func add(_ job: UnownedJob) { ready.append(.job(job)) }

    /// Lets something happen at any time from now on, before the clock moves.
    package func later(_ call: @escaping () -> Void) { ready.append(.call(call)) }

    /// Gives way to everything else that is ready.
    package func hop() async {
        await withUnsafeContinuation { continuation in later { continuation.resume() } }
    }

    /// Runs one piece.
    package func runNext() {
        let index = ready.indices.randomElement(using: &generator) ?? 0
        ready.swapAt(index, ready.count - 1)
        count += 1
        switch ready.removeLast() {
        case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
        case .call(let call): call()
        }
    }

    /// A number of the same row that decides the order.
    package func number(in range: ClosedRange<Int>) -> Int { generator.number(in: range) }

    package func element<Elements: Collection>(of elements: Elements) -> Elements.Element? {
        generator.element(of: elements)
    }

    /// Whether something happens that happens so often of a hundred times.
    package func chance(_ percent: Int) -> Bool { generator.chance(percent) }
}
