internal import Glibc

/// A moment by the clock on the wall, in milliseconds.
public struct WallTime: Hashable, Sendable {
    /// Milliseconds since 1970 began in UTC; negative before.
    public let millisecondsSince1970: Int64

    /// Creates a moment.
    ///
    /// - Parameter millisecondsSince1970: milliseconds since 1970 began in UTC.
    public init(millisecondsSince1970: Int64) {
        self.millisecondsSince1970 = millisecondsSince1970
    }

    /// This moment, as the system's clock has it.
    public static var now: WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return WallTime(
            millisecondsSince1970: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        )
    }
}

extension WallTime: Comparable {
    /// Whether a moment is earlier than another.
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.millisecondsSince1970 < right.millisecondsSince1970
    }
}
