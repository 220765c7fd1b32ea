/// What releases of BlueZ do differently; by default as 5.66 does.
struct Behavior: Hashable, Sendable {
    /// The release in the Device ID that a daemon serves, and that `Modalias` ends with.
    var deviceRelease: UInt16 = 0x0542

    /// The daemon's own services have attributes for EATT, and for central address resolution.
    var servesChannelFeatures = true

    /// A peer's Generic Access has objects.
    var showsGenericAccess = false

    /// Services, characteristics and descriptors have the property `Handle`.
    var showsHandles = false

    /// An adapter has `PowerState`, which tells also that power is about to change.
    var showsPowerState = false

    /// An adapter has `Connectable`, `Manufacturer` and `Version`.
    var showsController = false

    /// An adapter takes battery providers.
    var hasBatteryProviderManager = false

    /// LEAdvertisingManager1 has `SupportedCapabilities` and `SupportedFeatures`.
    var showsAdvertisingCapabilities = false

    /// A device has `CablePairing`.
    var showsCablePairing = false

    /// What Media1 supports: the ends of A2DP.
    var mediaUUIDs = ["110a", "110b"]

    /// Media1 has `SupportedFeatures`.
    var showsMediaFeatures = false

    /// `/org/bluez` has HealthManager1.
    var hasHealthManager = true

    /// A device has `AdvertisingFlags`.
    var showsAdvertisingFlags = false

    /// The services that an advertisement has data of count as services of the device.
    var countsServiceData = false

    /// A peer's name is read over each link, not over the first alone.
    var readsNamesOnEachLink = true

    /// A device lists the services that it advertised beside those that it has.
    var keepsAdvertisedUUIDs = false

    /// A central's device is not forgotten some time after its link.
    var keepsCentrals = false

    /// An advertisement can have services in its scan response.
    var advertisesInScanResponse = false

    /// A name that was cut within a character keeps the characters before; else all but ASCII becomes spaces.
    var keepsBrokenNames = false

    /// `MinInterval`, `MaxInterval` and `TxPower` of an advertisement are looked at; they were for
    /// experiments alone.
    var checksAdvertisingParameters = false

    /// A discovery filter with nothing but a transport counts as one.
    var filtersByTransportAlone = true

    /// A discovery filter can have `AutoConnect`, which connects nobody here.
    var filtersKnowAutoConnect = false

    /// Who is received without a filter and is not discoverable has an object without properties.
    var showsUndiscoverable = false

    /// A scan with UUIDs in its filter kills the daemon when it receives a service.
    var diesOfFilteredUUIDs = false

    /// A second `Connect` is refused with `InProgress`, not with `Failed`.
    var refusesSecondConnectAsInProgress = false

    /// How the end of a link is told to who asked for it, and to the others.
    enum EndOfLink {
        /// `ServicesResolved`, the reply to `Disconnect`, `Connected`; to others both in one signal.
        case replyInBetween
        /// One signal, then the reply.
        case atOnce
        /// `ServicesResolved`, the signal `Disconnected` with the reason, `Connected`, the reply.
        case withReason
    }

    var endOfLink = EndOfLink.replyInBetween

    /// An adapter that comes tells its services also before it is on.
    var tellsServicesBeforePower = false

    /// The socket that an application takes writes from ends with the link.
    var endsWriteSocketsWithLink = false

    /// A client that leaves the bus is unsubscribed, though it still holds its socket.
    var abandonsSockets = true

    /// A socket for notifications kills the daemon when it is closed after its client has left the bus.
    var diesOfAbandonedSockets = true

    /// Services that come or go over a link are told in reverse.
    var tellsChangedServicesInReverse = true

    /// A request that a peer refuses, as its services have changed unseen, is sent again.
    var repeatsRequestsOutOfSync = false

    /// The end of a central's link ends the sockets for notifications of all centrals.
    var endsNotifySocketsWithLink = false

    /// A request for which pairing fails is never replied to.
    var forgetsRequests = false

    /// There are several ATT channels: requests go in parallel, and commands overtake each other.
    var hasSeveralChannels = true

    /// The longest write that arrives in one piece.
    var longestWrite = 510

    /// The longest write that arrives in several pieces, where the MTU is too small for one.
    var longestWriteInPieces = 508

    /// An application's ImproperlyConfigured has an ATT code of its own.
    var knowsImproperlyConfigured = false

    /// An application is asked for a socket for each central that subscribes, not for one in all.
    var acquiresNotifyForEachCentral = false
}

extension Behavior {
    static let since5_82: Behavior = {
        var behavior = Behavior()
        behavior.deviceRelease = 0x0552
        behavior.servesChannelFeatures = false
        behavior.showsGenericAccess = true
        behavior.showsHandles = true
        behavior.showsPowerState = true
        behavior.showsController = true
        behavior.hasBatteryProviderManager = true
        behavior.showsAdvertisingCapabilities = true
        behavior.showsAdvertisingFlags = true
        behavior.mediaUUIDs = []
        behavior.countsServiceData = true
        behavior.keepsAdvertisedUUIDs = true
        behavior.readsNamesOnEachLink = false
        behavior.advertisesInScanResponse = true
        behavior.checksAdvertisingParameters = true
        behavior.filtersByTransportAlone = false
        behavior.showsUndiscoverable = true
        behavior.refusesSecondConnectAsInProgress = true
        behavior.endOfLink = .atOnce
        behavior.tellsServicesBeforePower = true
        behavior.endsWriteSocketsWithLink = true
        behavior.endsNotifySocketsWithLink = true
        behavior.diesOfAbandonedSockets = false
        behavior.tellsChangedServicesInReverse = false
        behavior.forgetsRequests = true
        behavior.hasSeveralChannels = false
        behavior.longestWrite = 512
        behavior.longestWriteInPieces = 512
        behavior.knowsImproperlyConfigured = true
        behavior.acquiresNotifyForEachCentral = true
        return behavior
    }()

    static let since5_87: Behavior = {
        var behavior = since5_82
        behavior.deviceRelease = 0x0557
        behavior.showsCablePairing = true
        behavior.showsMediaFeatures = true
        behavior.filtersKnowAutoConnect = true
        behavior.keepsBrokenNames = true
        behavior.hasHealthManager = false
        behavior.keepsCentrals = true
        behavior.abandonsSockets = false
        behavior.repeatsRequestsOutOfSync = true
        behavior.showsUndiscoverable = false
        behavior.diesOfFilteredUUIDs = true
        behavior.endOfLink = .withReason
        return behavior
    }()
}
