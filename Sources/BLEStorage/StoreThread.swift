internal import Glibc

/// The thread on which a store's actor runs.
///
/// A custom executor, because a commit waits for the disk, 5 to 9 ms on a virtual machine's: on the
/// global pool, which has a thread for each core, two stores would stop a program meanwhile.
/// `@unchecked Sendable`: what changes is used with the lock held. The thread ends with this object.
package final class StoreThread: SerialExecutor, @unchecked Sendable {
    /// What the thread and its owner share; it outlives the owner until the thread has ended.
    private final class Queue: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
        private var hasEnded = false

        init() {
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(condition, nil)
        }

        deinit {
            pthread_cond_destroy(condition)
            pthread_mutex_destroy(mutex)
            condition.deallocate()
            mutex.deallocate()
        }

        func append(_ job: UnownedJob, for executor: UnownedSerialExecutor) {
            pthread_mutex_lock(mutex)
            jobs.append((job, executor))
            pthread_cond_signal(condition)
            pthread_mutex_unlock(mutex)
        }

        func end() {
            pthread_mutex_lock(mutex)
            hasEnded = true
            pthread_cond_signal(condition)
            pthread_mutex_unlock(mutex)
        }

        /// Waits for jobs; none are the end.
        private func takeJobs() -> [(UnownedJob, UnownedSerialExecutor)] {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while jobs.isEmpty && !hasEnded { pthread_cond_wait(condition, mutex) }
            defer { jobs = [] }
            return jobs
        }

        func run() {
            while true {
                let jobs = takeJobs()
                if jobs.isEmpty { return }
                for (job, executor) in jobs { job.runSynchronously(on: executor) }
            }
        }
    }

    private let queue = Queue()

    /// Starts the thread.
    ///
    /// - Parameter kind: what the store is, for errors.
    /// - Throws: ``StoreError/Code/failed`` when the system has no more threads.
    package init(for kind: String) throws(StoreError) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(queue)
        let code = pthread_create(
            &thread,
            nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Queue>.fromOpaque(context).takeRetainedValue().run()
                return nil
            },
            context.toOpaque()
        )
        guard code == 0 else {
            context.release()
            throw StoreError(
                .failed,
                "Cannot open a \(kind): the system starts no thread: \(systemMessage(code))"
            )
        }
        pthread_detach(thread)
    }

    deinit {
        queue.end()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.append(UnownedJob(job), for: asUnownedSerialExecutor())
    }
}
