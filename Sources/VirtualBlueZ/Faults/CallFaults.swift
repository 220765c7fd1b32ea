internal import BLEDBus

/// The faults that wait for calls.
struct CallFaults {
    /// Which calls one meets, and how often.
    struct Entry {
        let fault: CallFault

        /// The interface's name, a dot, the method's.
        let method: String

        /// The object, or one above it.
        let path: ObjectPath

        /// How many calls it still meets; `nil` without an end.
        var times: Int?

        /// When it ends; `nil` for never.
        let end: Duration?
    }

    private var entries: [Entry] = []

    mutating func add(_ entry: Entry) {
        entries.append(entry)
    }

    mutating func removeAll() {
        entries = []
    }

    /// What becomes of a call: what was set first for such calls, as often as it was set.
    mutating func take(for call: Message, at now: Duration) -> CallFault? {
        guard !entries.isEmpty else { return nil }
        entries.removeAll { $0.end.map { $0 <= now } ?? false }
        guard let index = entries.firstIndex(where: { $0.matches(call) }) else { return nil }
        let fault = entries[index].fault
        if let times = entries[index].times {
            if times > 1 { entries[index].times = times - 1 } else { entries.remove(at: index) }
        }
        return fault
    }
}

extension CallFaults.Entry {
    /// Whether a call is meant; one that names no interface is meant by its member alone.
    func matches(_ call: Message) -> Bool {
        guard let member = call.member, let object = call.path, object.isWithin(path) else {
            return false
        }
        return call.interface.map { method == "\($0).\(member)" } ?? method.hasSuffix(".\(member)")
    }
}
