internal import BLEDBus

/// The levers of services, notifications and what is known of devices.
extension Lever {
    static let gatt = [
        Lever("RemoveService", service, "a service of an adapter goes, and its peers are told") {
            (daemon, arguments) throws(ErrorReply) in
            let (index, uuid) = try daemon.service(arguments)
            daemon.simulateServiceChange(of: index, removing: [uuid])
        },
        Lever("HideService", service, "it goes, and its peers are not told") {
            (daemon, arguments) throws(ErrorReply) in
            let (index, uuid) = try daemon.service(arguments)
            daemon.simulateServiceChange(of: index, removing: [uuid], tellsPeers: false)
        },
        Lever("RestoreService", service, "it comes back, and its peers are told") {
            (daemon, arguments) throws(ErrorReply) in
            let index = try daemon.plugged(arguments.adapter(0))
            daemon.simulateServiceChange(of: index, restoring: [try arguments.uuid(1)])
        },
        Lever("KeepServices", pair, "the first takes the other to serve what it serves now") {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            guard daemon.device(DeviceID(adapter: adapter, peer: other)) != nil else {
                throw .leverFailed("hci\(adapter) does not know hci\(other)")
            }
            daemon.simulateKeptServices(of: other, by: adapter)
        },
        Lever("ResolveEarly", many, "the first finds the other's services resolved before objects")
        {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            let times = try arguments.count(2)
            daemon.simulateResolution(.early, at: adapter, of: other, times: times)
        },
        Lever("ResolveNever", many, "it does not find them resolved, on so many connections") {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            let times = try arguments.count(2)
            daemon.simulateResolution(.never, at: adapter, of: other, times: times)
        },
        Lever(
            "ResolveLate",
            pair + [("milliseconds", "u"), ("times", "u")],
            "it finds them resolved so much later, on so many connections"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            let times = try arguments.count(3)
            let delay = ServiceResolution.late(by: arguments.milliseconds(2))
            daemon.simulateResolution(delay, at: adapter, of: other, times: times)
        },
        Lever("LoseNotifications", many, "the other's next notifications are lost to the first") {
            (daemon, arguments) throws(ErrorReply) in
            try set(.lost, on: daemon, arguments, times: 2)
        },
        Lever("DoubleNotifications", many, "they are told twice") {
            (daemon, arguments) throws(ErrorReply) in
            try set(.doubled, on: daemon, arguments, times: 2)
        },
        Lever(
            "DelayNotifications",
            pair + [("milliseconds", "u"), ("times", "u")],
            "they are told late"
        ) { (daemon, arguments) throws(ErrorReply) in
            try set(.late(by: arguments.milliseconds(2)), on: daemon, arguments, times: 3)
        },
        Lever(
            "KeepConfirmations",
            pair + [("on", "b")],
            "the first confirms none of the other's indications"
        ) { (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            daemon.simulateKeptConfirmations(by: adapter, to: other, arguments.isOn(2))
        },
        Lever("Confirm", pair, "the first confirms what it has of the other's indications") {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try daemon.connected(arguments.pair())
            daemon.simulateConfirmation(by: adapter, to: other)
        },
        Lever(
            "ForgetAfterScan",
            [("adapter", "u"), ("on", "b")],
            "an adapter forgets devices as soon as its scan ends"
        ) { (daemon, arguments) throws(ErrorReply) in
            let index = try arguments.adapter(0)
            daemon.simulateForgetting(by: index, arguments.isOn(1))
        },
        Lever("Forget", pair, "the first forgets the other now") {
            (daemon, arguments) throws(ErrorReply) in
            let (adapter, other) = try arguments.pair()
            guard daemon.device(DeviceID(adapter: adapter, peer: other)) != nil else {
                throw .leverFailed("hci\(adapter) does not know hci\(other)")
            }
            daemon.simulateRemoval(of: other, from: adapter)
        },
    ]

    private static let service: [(String, Signature)] = [("adapter", "u"), ("uuid", "s")]
    private static let many = pair + [("times", "u")]

    private static func set(
        _ fault: NotificationFault,
        on daemon: isolated VirtualDaemon,
        _ arguments: LeverArguments,
        times index: Int
    ) throws(ErrorReply) {
        let (adapter, other) = try arguments.pair()
        let times = try arguments.count(index)
        daemon.simulateNotificationFault(fault, at: adapter, from: other, times: times)
    }
}

extension VirtualDaemon {
    /// Checks that an application serves a service.
    fileprivate func service(_ arguments: LeverArguments) throws(ErrorReply) -> (Int, String) {
        let (index, uuid) = (try plugged(arguments.adapter(0)), try arguments.uuid(1))
        let services = adapters[index]?.table.services ?? []
        guard services.contains(where: { $0.application != nil && $0.uuid == uuid }) else {
            throw .leverFailed("hci\(index) serves no \(uuid)")
        }
        return (index, uuid)
    }
}
