import ArgumentParser
import BLE
import BLESocket
import BlueZ
import RadioCLI

/// How the bytes travel.
enum TransportOption: String, ExpressibleByArgument, CaseIterable {
    case auto, raw, stream, geotab
}

/// Whose service it is.
enum PresetOption: String, ExpressibleByArgument, CaseIterable {
    case uart, keyless, iox
}

/// The options of whoever opens a socket.
struct SocketOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How the bytes travel: auto is a stream to another ble-socket, and raw to anything else; geotab is the \
            protocol of vehicles' devices, whose add-on listens.
            """
        )
    )
    var transport = TransportOption.auto

    @Option(
        help: """
            Whose service: Nordic's UART, or that of an app, whose example is 42B20191-092E-4B85-B0CA-1012F6AC783A. \
            (default: uart; with geotab, keyless)
            """
    )
    var preset: PresetOption?

    @Option(
        help: ArgumentHelp(
            "The UUIDs of the service, or of service, notify and write characteristic.",
            valueName: "service[,notify,write]"
        ),
        transform: SocketUUIDs.init(argument:)
    )
    var uuid: SocketUUIDs?

    @Option(
        help: "The UUID of the service alone.",
        transform: BluetoothUUID.init(argument:)
    )
    var service: BluetoothUUID?

    @Option(
        help: "The UUID of the characteristic with which the peripheral sends.",
        transform: BluetoothUUID.init(argument:)
    )
    var notify: BluetoothUUID?

    @Option(
        help: "The UUID of the characteristic with which the central sends.",
        transform: BluetoothUUID.init(argument:)
    )
    var write: BluetoothUUID?

    @Option(
        help: ArgumentHelp(
            "How an add-on identifies itself to a device. (default: the app's)",
            valueName: "number"
        ),
        transform: UInt16.init(anyBase:)
    )
    var deviceID: UInt16?

    @Option(
        help: ArgumentHelp(
            "What an add-on asks of a device, as bits. (default: 1)",
            valueName: "number"
        ),
        transform: UInt16.init(anyBase:)
    )
    var flags: UInt16?

    @Option(
        help: ArgumentHelp(
            "How long a lost connection of a stream may take to come back. (default: 60)",
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var resume: Duration?

    @OptionGroup var encryption: EncryptionOptions

    func validate() throws {
        if !encryption.isDefault, transport == .raw || transport == .geotab {
            throw ValidationError(
                "\(EncryptionOptions.names) are a stream's; --transport \(transport) has none"
            )
        }
        if uuid != nil, service != nil || notify != nil || write != nil {
            throw ValidationError("--uuid says what --service, --notify and --write do, all in one")
        }
        if transport != .geotab, deviceID != nil || flags != nil {
            throw ValidationError("--device-id and --flags go with --transport geotab")
        }
    }

    /// The socket's configuration.
    ///
    /// - Parameter limit: how long opening may take; `nil` for ever.
    /// - Returns: that of the preset, with what was asked for.
    /// - Throws: ``SocketCommandFailure`` when a key or a passphrase cannot be read, or is none.
    func configuration(limit: Duration?) async throws -> SocketConfiguration {
        var configuration: SocketConfiguration
        switch preset ?? (transport == .geotab ? .keyless : .uart) {
        case .uart: configuration = .nordicUART
        case .keyless: configuration = .keyless(service: Self.exampleService)
        case .iox: configuration = .iox(service: Self.exampleService)
        }
        if let uuid {
            configuration.service = uuid.service
            if let notify = uuid.notify { configuration.notify = notify }
            if let write = uuid.write { configuration.write = write }
        }
        if let service { configuration.service = service }
        if let notify { configuration.notify = notify }
        if let write { configuration.write = write }
        configuration.transports =
            switch transport {
            case .auto: [.raw, .stream]
            case .raw, .geotab: [.raw]
            case .stream: [.stream]
            }
        configuration.reconnects = false
        configuration.openLimit = limit
        configuration.sendLimit = nil
        if let resume { configuration.resumptionLimit = resume }
        configuration.encryption = try await encryption.encryption()
        return configuration
    }

    /// The service that the originals' documentation has.
    private static let exampleService: BluetoothUUID = "42B20191-092E-4B85-B0CA-1012F6AC783A"

    /// What the bytes go over.
    ///
    /// - Parameters:
    ///   - socket: what carries them.
    ///   - isListening: whether it is a peripheral's.
    ///   - handshakeLimit: how long a vehicle's device waits for an add-on; `nil` for as long as usual.
    ///   - console: where what happens beside bytes is told.
    /// - Returns: the socket, or messages over it.
    func connection(
        over socket: Socket,
        isListening: Bool,
        handshakeLimit: Duration? = nil,
        _ console: Console
    ) -> any ByteConnection {
        guard transport == .geotab else { return socket }
        var addOn: GeotabAddOn.Configuration = preset == .iox ? .iox : .keyless
        if let deviceID { addOn.deviceID = deviceID }
        if let flags { addOn.flags = GeotabAddOn.Configuration.Flags(rawValue: flags) }
        var device = GeotabDevice.Configuration()
        if let handshakeLimit { device.handshakeLimit = handshakeLimit }
        let end: GeotabSocket.End = isListening ? .addOn(addOn) : .device(device)
        return GeotabConnection(
            geotab: GeotabSocket(over: socket, as: end),
            socket: socket,
            console: console
        )
    }
}

extension UInt16 {
    /// Reads a number, also a hexadecimal one: `4191`, `0x105F`.
    fileprivate init(anyBase argument: String) throws {
        let digits = argument.hasPrefix("0x") ? String(argument.dropFirst(2)) : argument
        guard let number = UInt16(digits, radix: argument.hasPrefix("0x") ? 16 : 10) else {
            throw ValidationError("'\(argument)' is no number from 0 to 65535, or 0x0 to 0xFFFF")
        }
        self = number
    }
}

extension BluetoothUUID {
    fileprivate init(argument: String) throws {
        guard let uuid = BluetoothUUID(argument) else {
            throw ValidationError("'\(argument)' is no UUID; write 180F, or all 32 digits")
        }
        self = uuid
    }
}

/// The UUIDs of a service and its characteristics.
struct SocketUUIDs {
    let service: BluetoothUUID
    let notify: BluetoothUUID?
    let write: BluetoothUUID?

    init(argument: String) throws {
        let words = argument.split(separator: ",", omittingEmptySubsequences: false)
        let uuids = words.compactMap { BluetoothUUID(String($0)) }
        guard uuids.count == words.count, [1, 3].contains(uuids.count) else {
            throw ValidationError(
                "'\(argument)' is neither one UUID nor three; write 180F or 180F,2A19,2A1A"
            )
        }
        service = uuids[0]
        notify = uuids.count == 3 ? uuids[1] : nil
        write = uuids.count == 3 ? uuids[2] : nil
    }
}
