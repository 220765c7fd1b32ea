// Not where Swift's libraries are linked statically, as in the release of README.md: that has no module Testing.
#if canImport(Testing)
    internal import Dispatch
    package import Testing

    /// Runs each test on a thread of its own.
    ///
    /// Swift's tasks share a pool with a thread for each core. A test that computes for seconds, and waits for nothing,
    /// keeps one of them from all others, whose time limits go on: of two such tests at once, on two cores with other work,
    /// tests that wait for a reply saw no thread of the pool for 35 s.
    package struct ThreadTrait: TestTrait, SuiteTrait, TestScoping {
        package var isRecursive: Bool { true }

        @concurrent package func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            try await withTaskExecutorPreference(Thread()) { try await function() }
        }

        private final class Thread: TaskExecutor {
            // Dispatch gives each serial queue a thread, however many compute.
            private let queue = DispatchQueue(label: "a test")

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
            }
        }
    }

    extension Trait where Self == ThreadTrait {
        /// For a test that computes for long.
        package static var ownThread: ThreadTrait { ThreadTrait() }
    }
#endif
