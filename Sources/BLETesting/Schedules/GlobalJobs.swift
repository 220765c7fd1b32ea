internal import Foundation

/// Takes the jobs that are meant for Swift's own threads, on the thread of a schedule alone.
///
/// A task executor preference would not do: tasks that are not children do not inherit it (SE-0417),
/// and the tasks of what is tested are isolated to its actors, which those with a preference cannot be. So
/// this is the hook of Swift's runtime (swiftlang/swift, include/swift/Runtime/Concurrency.h), as
/// pointfreeco/swift-concurrency-extras uses it. Default actors come through it too: an actor that
/// is idle is one job, whatever waits for it.
package enum GlobalJobs {
    private typealias Original = @convention(thin) (UnownedJob) -> Void
    private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Set once, for all threads; those without a schedule go on as before.
    private static let isHooked: Bool = {
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "swift_task_enqueueGlobal_hook") else {
            return false
        }
        _ = key
        symbol.assumingMemoryBound(to: Hook?.self).pointee = { job, original in
            if let scheduler = GlobalJobs.scheduler {
                scheduler.add(job)
            } else {
                original(job)
            }
        }
        return true
    }()

    private static var scheduler: Scheduler? {
        pthread_getspecific(key).map {
            Unmanaged<Scheduler>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Runs a schedule: all jobs that it makes go to the scheduler.
    package static func taken<Result>(by scheduler: Scheduler, _ work: () -> Result) -> Result {
        precondition(isHooked, "this runtime of Swift has no swift_task_enqueueGlobal_hook")
        return withExtendedLifetime(scheduler) {
            pthread_setspecific(key, Unmanaged.passUnretained(scheduler).toOpaque())
            defer { pthread_setspecific(key, nil) }
            return work()
        }
    }

    /// Runs work on a thread of its own, which it may keep busy, and waits for it.
    package static func onOwnThread<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
