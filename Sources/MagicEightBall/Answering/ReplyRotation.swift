/// The replies to one asker's private questions, and which of them its next read gives.
///
/// A read does not say which of the asker's programs reads. So the replies are read in turn: first
/// those that were not read, the newest before the others; then the one whose read was the longest ago.
/// None is removed because it was read.
struct ReplyRotation: Sendable {
    /// How many replies are kept for one asker.
    static let maximumCount = 16

    /// Those that were not read, the newest last.
    private var unread: [Int] = []
    /// Those that were read, the one of the longest ago first.
    private var read: [Int] = []

    /// What the next read gives.
    var next: Int? { unread.last ?? read.first }

    /// What the next read gives, if it was not read.
    var nextUnread: Int? { unread.last }

    var all: [Int] { unread + read }

    /// Adds a reply, as the newest one.
    ///
    /// - Returns: the one that is no longer kept in its place.
    mutating func add(_ id: Int) -> Int? {
        remove(id)
        unread.append(id)
        guard unread.count + read.count > Self.maximumCount else { return nil }
        return read.isEmpty ? unread.removeFirst() : read.removeFirst()
    }

    /// A reply was read, to its last byte.
    mutating func didRead(_ id: Int) {
        guard unread.contains(id) || read.contains(id) else { return }
        remove(id)
        read.append(id)
    }

    mutating func remove(_ id: Int) {
        unread.removeAll { $0 == id }
        read.removeAll { $0 == id }
    }
}
