public import BLE

/// Which service a socket is, and its limits.
public struct SocketConfiguration: Hashable, Sendable {
    /// The service.
    public var service: BluetoothUUID
    /// The characteristic with which the peripheral sends.
    public var notify: BluetoothUUID
    /// What can be done with it; `notify` is added.
    public var notifyProperties: CharacteristicProperties = .notify
    /// The characteristic with which the central sends; ``notify`` where one is for both directions.
    public var write: BluetoothUUID
    /// How it can be written; with or without a response, or both.
    public var writeProperties: CharacteristicProperties = .writeWithoutResponse
    /// How bytes may travel.
    ///
    /// With both, a stream to who knows it, and raw bytes to others; a peripheral has the characteristics of both then.
    public var transports: Set<SocketTransport> = [.raw]
    /// The characteristic of ``SocketTransport/stream``, for both directions.
    public var stream: BluetoothUUID = "D68316B9-8184-4879-84F5-2C7C441F3DE0"
    /// How a stream is encrypted, and who the other end has to be; `nil` for no encryption, which both ends want then.
    ///
    /// Raw bytes are never encrypted, so that nothing but streams is spoken where the other end has to have a key or a
    /// passphrase.
    public var encryption: SocketEncryption? = SocketEncryption()
    /// The name under which the peripheral is seen, at most 29 bytes of UTF-8; empty for none.
    public var localName = ""
    /// How long ``Socket/open()`` may take; `nil` for ever.
    public var openLimit: Duration? = .seconds(30)
    /// How long a peripheral waits for a subscription before it advertises anew.
    public var advertisingInterval: Duration = .seconds(3)
    /// Whether a peripheral that was open opens again by itself after the other end has left; also after a stream that both ends
    /// have finished, or that was ended by an error.
    public var reconnects = false
    /// How long a stream whose connection is lost waits for another one.
    public var resumptionLimit: Duration = .seconds(60)
    /// How long one ``Socket/send(_:)`` may take; `nil` for ever.
    public var sendLimit: Duration? = .seconds(30)
    /// How many calls of ``Socket/send(_:)`` may wait at once; at least 1.
    public var maximumSendCount = 64
    /// How many bytes those may have together; one call that has more waits alone.
    public var maximumSendByteCount = 1_048_576

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - service: the service.
    ///   - notify: the characteristic with which the peripheral sends.
    ///   - write: the characteristic with which the central sends.
    public init(service: BluetoothUUID, notify: BluetoothUUID, write: BluetoothUUID) {
        self.service = service
        self.notify = notify
        self.write = write
    }

    /// As the app Keyless has it, which is the peripheral.
    ///
    /// - Parameter service: the service, which comes with the key of the vehicle.
    /// - Returns: the configuration.
    public static func keyless(service: BluetoothUUID) -> SocketConfiguration {
        SocketConfiguration(
            service: service,
            notify: "430F2EA3-C765-4051-9134-A341254CFD00",
            write: "906EE7E0-D8DB-44F3-AF54-6B0DFCECDF1C"
        )
    }

    /// As the apps IOX BLE have it, which are the peripheral.
    ///
    /// - Parameter service: the service.
    /// - Returns: the configuration.
    public static func iox(service: BluetoothUUID) -> SocketConfiguration {
        var configuration = keyless(service: service)
        configuration.notifyProperties = [.notify, .read]
        configuration.writeProperties = .write
        configuration.localName = "ioxble"
        configuration.reconnects = true
        return configuration
    }

    /// The UART service of Nordic Semiconductor, which many devices have.
    public static let nordicUART: SocketConfiguration = {
        var configuration = SocketConfiguration(
            service: "6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
            notify: "6E400003-B5A3-F393-E0A9-E50E24DCCA9E",
            write: "6E400002-B5A3-F393-E0A9-E50E24DCCA9E"
        )
        configuration.writeProperties = [.write, .writeWithoutResponse]
        return configuration
    }()

    /// The service as a peripheral publishes it.
    var gattService: GATTService {
        let notifyProperties = notifyProperties.union(.notify)
        // Many modules have one characteristic for both directions.
        let raw =
            notify == write
            ? [
                GATTCharacteristic(
                    uuid: notify,
                    properties: notifyProperties.union(writeProperties)
                )
            ]
            : [
                GATTCharacteristic(uuid: notify, properties: notifyProperties),
                GATTCharacteristic(uuid: write, properties: writeProperties),
            ]
        let stream = GATTCharacteristic(uuid: stream, properties: [.notify, .writeWithoutResponse])
        return GATTService(
            uuid: service,
            characteristics: (usableTransports.contains(.raw) ? raw : [])
                + (usableTransports.contains(.stream) ? [stream] : [])
        )
    }

    /// What takes both kinds of writes cannot refuse one; this socket refuses none.
    var publicationOptions: PublicationOptions {
        writeProperties.isSuperset(of: [.write, .writeWithoutResponse]) ? .lostRefusals : []
    }

    var advertisement: Advertisement {
        Advertisement(localName: localName, serviceUUIDs: [service])
    }
}
