/// How much a store takes; more is refused with ``ChatStoreError/Code/tooLong`` or
/// ``ChatStoreError/Code/limitReached``.
///
/// Texts are counted in bytes of UTF-8.
public enum StoreLimits {
    /// The longest text of a message: 64 KiB.
    public static var textByteCount: Int { 65_536 }
    /// The longest name of a friend, a profile or a file, and the longest address.
    public static var nameByteCount: Int { 255 }
    /// The longest reason of a failure; a longer one is cut at a character.
    public static var reasonByteCount: Int { 1024 }
    /// The largest file that a message carries: 1 MiB.
    public static var fileByteCount: Int { 1_048_576 }
    /// How many friends there are at most, blocked ones included.
    public static var friendCount: Int { 10_000 }
    /// How many strangers' requests wait for the user at most; no more strangers are let in then but those whom the
    /// user calls.
    public static var requestCount: Int { 100 }
    /// How many messages of somebody are kept who waits for the user's answer.
    public static var requestMessageCount: Int { 1_000 }
    /// How many bytes those have at most, with their files and earlier texts: 4 MiB.
    public static var requestByteCount: Int { 4_194_304 }
    /// How many messages are handed to a messenger at once.
    static var sendingCount: Int { 100 }
    /// How many messages wait for one friend at most.
    public static var waitingCount: Int { 10_000 }
    /// How many earlier texts of a message are kept; the oldest goes first.
    public static var earlierTextCount: Int { 16 }
    /// How many messages a page has at most, or a search finds; a larger count is lowered to this.
    public static var pageCount: Int { 500 }
    /// How many messages are marked as read at once.
    public static var readCount: Int { 1000 }
    /// The longest search, and how many words of it count; the rest is left out.
    public static var searchByteCount: Int { 1024 }
    /// How many words of a search count.
    public static var searchWordCount: Int { 16 }
    /// How many changes wait for a consumer; those beyond become ``StoreChange/reload``.
    public static var changeCount: Int { 256 }
    /// The largest store, unless opened with another size: 4 GiB.
    public static var storeByteCount: Int { 4_294_967_296 }
}

extension StoreLimits {
    /// How many messages are read when so many were asked for.
    static func count(_ wanted: Int) -> Int { min(max(wanted, 0), pageCount) }
}
