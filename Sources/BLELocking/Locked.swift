internal import Glibc

/// A value protected by a lock.
///
/// Not `Synchronization.Mutex`: on Linux the thread sanitizer does not see that it synchronises,
/// and reports each access as a race (Docs/Decisions/0003). `@unchecked Sendable`: the value is accessed only with
/// the lock held.
package struct Locked<Value>: ~Copyable, @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ value: consuming sending Value) {
        pthread_mutex_init(mutex, nil)
        self.value.initialize(to: value)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Accesses the value with the lock held.
    package borrowing func withLock<Output, Failure: Error>(
        _ use: (inout Value) throws(Failure) -> Output
    ) throws(Failure) -> Output {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try use(&value.pointee)
    }
}
