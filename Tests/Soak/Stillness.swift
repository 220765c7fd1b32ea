import CSoak
import Glibc

/// Whether processes have done all that there is to do: each of their threads waits.
///
/// It is exact, not a guess by time. All threads are looked at twice. If each waited both times, and
/// the system gave none the processor in between, then at the moment between the two looks all of
/// them waited at once; and what one had sent to another would have woken it.
struct Stillness: Sendable {
    private let processes: [pid_t]
    private var threads: [pid_t: ObservedThread] = [:]
    /// The one that was found at work last: most often it still is.
    private var busy: pid_t?

    init(processes: [pid_t]) {
        self.processes = processes
    }

    /// Looks; to be called by a thread that has nothing else to do, which is left out.
    mutating func isReached() -> Bool {
        if let thread = busy.flatMap({ threads[$0] }), thread.isRunning { return false }
        busy = nil
        guard findThreads() else { return false }
        var counts: [pid_t: Int] = [:]
        for (id, thread) in threads {
            guard let count = thread.runCount, thread.isWaiting else { return isBusy(id) }
            counts[id] = count
        }
        for (id, thread) in threads {
            guard thread.isWaiting, thread.runCount == counts[id] else { return isBusy(id) }
        }
        return true
    }

    private mutating func isBusy(_ id: pid_t) -> Bool {
        busy = id
        return false
    }

    /// Finds new threads, and forgets those that have ended.
    ///
    /// - Returns: `false` when that could not be done, as a process has ended.
    private mutating func findThreads() -> Bool {
        let own = soak_thread()
        var found: Set<pid_t> = []
        for process in processes {
            guard let folder = opendir("/proc/\(process)/task") else { return false }
            defer { closedir(folder) }
            while let entry = readdir(folder) {
                let id = withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { pid_t(atoi($0)) }
                }
                guard id > 0, id != own else { continue }
                found.insert(id)
                if threads[id] == nil { threads[id] = ObservedThread(id, of: process) }
            }
        }
        if found.count != threads.count { threads = threads.filter { found.contains($0.key) } }
        return true
    }
}

/// What the system tells of a thread.
///
/// Source: Linux, Documentation/filesystems/proc.rst, Documentation/scheduler/sched-stats.rst.
private final class ObservedThread: Sendable {
    private let status: Int32
    private let statistics: Int32

    init(_ id: pid_t, of process: pid_t) {
        status = open("/proc/\(process)/task/\(id)/stat", O_RDONLY | O_CLOEXEC)
        statistics = open("/proc/\(process)/task/\(id)/schedstat", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        close(status)
        close(statistics)
    }

    /// Whether it waits for something.
    var isWaiting: Bool { state == UInt8(ascii: "S") }

    /// Whether it has the processor, or wants it.
    var isRunning: Bool { state == UInt8(ascii: "R") }

    /// The letter of its state, behind the name in parentheses; `nil` when it has ended.
    ///
    /// Not its system call: the kernel would not tell that before the next tick.
    private var state: UInt8? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer in
            let count = pread(status, buffer.baseAddress, buffer.count, 0)
            guard count > 0, let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")),
                end + 2 < count
            else { return nil }
            return buffer[end + 2]
        }
    }

    /// How often it was given the processor; `nil` when it has ended.
    var runCount: Int? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 128) { buffer in
            let count = pread(statistics, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            var number = 0
            for byte in buffer[..<count] {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    number = number &* 10 &+ Int(byte - UInt8(ascii: "0"))
                case UInt8(ascii: " "):
                    number = 0
                default:
                    break
                }
            }
            return number
        }
    }
}
