/// Who waits for something outside of the code that is tested: each ends once, by a reply or by cancellation.
///
/// Unchecked, as ``Scheduler``.
package final class Waiting<Value: Sendable>: @unchecked Sendable {
    private var waits: [Int: CheckedContinuation<Value, any Error>] = [:]
    private var cancelled: Set<Int> = []
    private var lastNumber = 0

    package init() {}

    /// Those that wait, in the order in which they came.
    package var numbers: [Int] { waits.keys.sorted() }

    /// Waits until resumed, or cancelled.
    ///
    /// - Parameters:
    ///   - begun: told the number, once it waits.
    ///   - ended: told the number when it is cancelled.
    /// - Returns: what it was resumed with.
    /// - Throws: what it was resumed with; `CancellationError`.
    package func wait(
        begun: (Int) -> Void,
        cancelled ended: @escaping @Sendable (Int) -> Void
    ) async throws -> Value {
        lastNumber += 1
        let number = lastNumber
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if cancelled.remove(number) != nil {
                    continuation.resume(throwing: CancellationError())
                } else {
                    waits[number] = continuation
                    begun(number)
                }
            }
        } onCancel: {
            if let continuation = waits.removeValue(forKey: number) {
                ended(number)
                continuation.resume(throwing: CancellationError())
            } else {
                cancelled.insert(number)
            }
        }
    }

    /// Ends a wait; one that has ended is left out.
    package func resume(_ number: Int, with result: Result<Value, any Error>) {
        waits.removeValue(forKey: number)?.resume(with: result)
    }
}
