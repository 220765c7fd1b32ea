internal import BLEDBus

/// The devices that one scan has forgotten, and those that it may: since when they have been received (Decisions/0007).
struct StaleDevices {
    /// How many it knows at once; others stay as they are until there is room.
    static let maximumCount = 256

    private let recovery: Recovery
    private var known: [ObjectPath: Device] = [:]

    private struct Device {
        /// How long ago it was received first, or was forgotten.
        let age: @Sendable () -> Duration
        /// How long ago it was received last.
        var silence: @Sendable () -> Duration
        var isForgotten = false
    }

    init(_ recovery: Recovery) {
        self.recovery = recovery
    }

    /// A device was received that may have begun a service since it was connected to.
    ///
    /// - Returns: whether it is to be forgotten: it has been received for a while, and was not forgotten lately.
    mutating func receive(_ path: ObjectPath) -> Bool {
        known = known.filter { _, device in
            device.isForgotten
                ? device.age() < recovery.forgettingPause
                : device.silence() < recovery.forgettingSilence
        }
        let now = recovery.stopwatch()
        guard let device = known[path] else {
            if known.count < Self.maximumCount { known[path] = Device(age: now, silence: now) }
            return false
        }
        guard !device.isForgotten else { return false }
        guard device.age() >= recovery.forgettingDelay else {
            known[path]?.silence = now
            return false
        }
        known[path] = Device(age: now, silence: now, isForgotten: true)
        return true
    }

    /// There is a link to a device, over which its services are read anew, or bluetoothd has forgotten it: it may stay for a while again.
    mutating func keep(_ path: ObjectPath) {
        guard known[path]?.isForgotten == false else { return }
        known[path] = nil
    }
}
