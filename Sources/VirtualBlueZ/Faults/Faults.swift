internal import BLEDBus

/// What goes wrong in a daemon, or waits to.
struct Faults {
    var calls = CallFaults()

    /// Replies that wait for a notification, and until when, by the characteristic's object.
    var heldReplies: [ObjectPath: [(reply: Message, due: Duration)]] = [:]

    /// The adapters whose hosts reply to nothing.
    var unresponsiveHosts: Set<Int> = []

    /// The ways on which nothing arrives.
    var mutedWays: Set<DeviceID> = []

    /// The adapters that make no connection until their power goes.
    var wedgedAdapters: Set<Int> = []

    /// How often the next attempts to connect are aborted.
    var connectionAborts: [DeviceID: Int] = [:]

    /// What becomes of the next resolutions of services.
    var resolutions = FaultRow<ServiceResolution>()

    /// What becomes of the next notifications to a device's adapter.
    var notifications = FaultRow<NotificationFault>()

    /// The devices whose indications are not confirmed.
    var keptConfirmations: Set<DeviceID> = []

    /// The adapters that forget devices as soon as their scan ends.
    var forgetfulAdapters: Set<Int> = []

    /// The attributes that adapters take others to have, whatever those serve by now.
    var keptTables: [DeviceID: AttributeTable] = [:]

    /// Whether the daemon hangs.
    var isHanging = false

    /// What has happened while it hung, to be handled when it goes on.
    var eventsWhileHanging: [@Sendable (isolated VirtualDaemon) -> Void] = []
}
