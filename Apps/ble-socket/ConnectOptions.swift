import ArgumentParser
import BLE
import BLESocket
import BlueZ
import RadioCLI

/// The options of whoever connects.
struct ConnectOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Connect to this address, not to the first that advertises the service.",
            valueName: "address"
        ),
        transform: BluetoothAddress.init(argument:)
    )
    var device: BluetoothAddress?

    @Option(
        name: [.long, .customLong("timeout")],
        help: ArgumentHelp(
            """
            How long finding and connecting may take, and after that the handshake of a vehicle's device. \
            (default: 30; the handshake 90)
            """,
            valueName: "seconds"
        ),
        transform: Duration.init(argument:)
    )
    var wait: Duration?

    /// A socket that connects as these options say.
    ///
    /// - Throws: ``SocketCommandFailure``.
    func socket(over radio: Adapter, _ options: SocketOptions) async throws -> Socket {
        Socket(
            connectingOver: radio,
            to: device.map { PeerID(rawValue: $0.description) },
            try await options.configuration(limit: wait ?? .seconds(30))
        )
    }

    /// What is said meanwhile.
    func waiting(on radio: Adapter) -> String {
        "connecting to \(device.map { "\($0)" } ?? "whoever listens") with \(radio.name)"
    }
}
