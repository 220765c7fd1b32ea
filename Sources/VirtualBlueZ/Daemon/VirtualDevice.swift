internal import BLEDBus

/// A peer as one adapter knows it.
struct VirtualDevice {
    let id: DeviceID
    let address: String
    let path: ObjectPath

    /// Whether there was a link to it once.
    var wasConnected = false

    /// Whether its services were ever found out; then those that it advertises count no more.
    var wasResolved = false

    /// The services that it advertised until then.
    var advertisedUUIDs: Set<String> = []

    /// Whether it came by itself, as a central does.
    var hasCalled = false

    /// Whether both ends wanted the link that is there.
    var wasCalledByBoth = false

    /// Whether a client trusts it, so that it is not forgotten.
    var isTrusted = false

    /// Whether a client has blocked it, so that there is no link to it.
    var isBlocked = false

    /// Whether it stays known without a link.
    var isKept: Bool { isTrusted || isBlocked }

    /// Whether a client has set the alias, so that a new name leaves it alone.
    var hasAlias = false

    /// What was found in the peer's attribute table; kept after a disconnection.
    var services: [VirtualService] = []

    /// The Database Hash that was read with them.
    var knownHash: [UInt8]?

    /// Those whose objects were made over the link that is there, by their handles.
    var servicesOfLink: Set<UInt16> = []

    /// Whether a client has taken the daemon's own subscription to Service Changed along with its own.
    var missesServiceChanged = false

    /// Whether the peer refuses the next request, as its services have changed unseen.
    var isOutOfSync = false

    /// Who wants the notifications of a characteristic, by its handle; kept after a disconnection.
    var subscribers: [UInt16: [String]] = [:]

    /// The sockets that clients hold, by what for and by the characteristic's handle.
    var sockets: [SocketUse: [UInt16: AcquiredSocket]] = [:]

    /// The `Connect` that runs.
    var connectCall: MethodCall?

    /// The `Disconnect`s that run.
    var disconnectCalls: [MethodCall] = []

    /// The `RemoveDevice`s that wait for the link's end.
    var removeCalls: [MethodCall] = []

    init(_ id: DeviceID, address: String, below adapter: ObjectPath) {
        self.id = id
        self.address = address
        path = adapter.child("dev_" + address.replacingColons(with: "_"))
    }

    /// The name of one that has none.
    var addressWithDashes: String { address.replacingColons(with: "-") }

    func characteristic(_ handle: UInt16) -> VirtualCharacteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.handle == handle }
    }

    /// Whether the peer's notifications of a characteristic are wanted.
    func isSubscribed(to handle: UInt16) -> Bool {
        subscribers[handle]?.isEmpty == false
            || sockets[.notify]?[handle].map { !$0.isAbandoned } == true
    }

    /// The path of a characteristic's object.
    func path(of handle: UInt16) -> ObjectPath? {
        for service in services {
            for characteristic in service.characteristics where characteristic.handle == handle {
                return characteristic.path(below: service.path(below: path))
            }
        }
        return nil
    }
}

extension String {
    fileprivate func replacingColons(with separator: Character) -> String {
        String(map { $0 == ":" ? separator : $0 })
    }
}
