public import ArgumentParser
import BLE
public import BLESocket
import BlueZ
import Glibc
import RadioCLI

/// A vehicle's device, for who develops an add-on.
struct GO9: AsyncParsableCommand, Sendable {
    static let configuration = CommandConfiguration(
        commandName: "go9",
        abstract: "Play the device of a vehicle, with the times of a GO9.",
        discussion: """
            Connects to an add-on, listens for 72 s, pauses for 5 s, gives the add-on
            2 s to say who it is, tells of its vehicle each second, and closes when
            that has no acknowledgement for 30 s. Each line of standard input is sent
            as one message; what comes is printed.
            """
    )

    @Option(help: "How often it tells of its vehicle, in seconds; 0 for never.")
    var vehicleData = 1.0

    @Option(help: "How fast the vehicle is, in km/h.")
    var speed: UInt8 = 0

    @Option(
        help: ArgumentHelp(
            """
            Do something wrong, to see how an add-on bears it: \
            \(GeotabDevice.Fault.allCases.map(\.name).joined(separator: ", ")).
            """,
            valueName: "name"
        )
    )
    var fault: GeotabDevice.Fault?

    @OptionGroup var socket: SocketOptions
    @OptionGroup var connect: ConnectOptions
    @OptionGroup var radio: RadioOptions

    func validate() throws {
        guard vehicleData >= 0, vehicleData <= 86_400 else {
            throw ValidationError("--vehicle-data: write seconds, 0 to 86400")
        }
        guard socket.encryption.isDefault, [.auto, .geotab].contains(socket.transport) else {
            throw ValidationError("a GO9 speaks --transport geotab alone, and has no --key")
        }
    }

    func run() async throws {
        let console = Console(command: "ble-socket", isJSON: radio.json, keepsProgress: true)
        try await console.perform {
            try await radio.withRadio(console) { radio in
                var options = self.socket
                options.transport = .geotab
                var configuration = GeotabDevice.Configuration()
                configuration.vehicleDataInterval =
                    vehicleData == 0 ? nil : .seconds(vehicleData)
                configuration.fault = fault
                if let limit = connect.wait { configuration.handshakeLimit = limit }
                let carrier = try await connect.socket(over: radio, options)
                let device = GeotabSocket(over: carrier, as: .device(configuration))
                console.event(["event": "opening"])
                console.progress(connect.waiting(on: radio))
                let result: Result<Void, any Error>
                do {
                    try await device.open()
                    let mtuBytes = await carrier.mtuBytes
                    console.event([
                        "event": "connected", "transport": "geotab",
                        "mtu": mtuBytes.map { .integer($0) },
                    ])
                    result = .success(
                        try await drive(
                            device,
                            upTo: configuration.maximumMessageByteCount,
                            console
                        )
                    )
                } catch {
                    result = .failure(error)
                }
                await Task { await device.close() }.value
                console.event(["event": "closed", "why": .string(SocketSession.why(result))])
                try result.get()
            }
        }
    }

    private func drive(
        _ device: GeotabSocket,
        upTo messageByteCount: Int,
        _ console: Console
    ) async throws {
        var data = VehicleData()
        data.speed = speed
        data.flags = [.ignition, .engine]
        await device.changeVehicleData(to: data)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await event in await device.events() {
                    switch event {
                    case .received(let bytes):
                        console.event([
                            "event": "message", "bytes": .integer(bytes.count),
                            "hex": .string(bytes.hexadecimal),
                        ])
                        if !console.isJSON {
                            console.result(String(decoding: bytes, as: UTF8.self))
                        }
                    case .closed(let error):
                        guard let error else { return true }
                        throw error
                    case .connected, .receivedVehicleData, .failedToReceive: console.show(event)
                    }
                }
                return true
            }
            group.addTask {
                var line: [UInt8] = []
                while let bytes = try await ByteFile.standardInput.read() {
                    for byte in bytes {
                        guard byte == UInt8(ascii: "\n") || line.count == messageByteCount else {
                            line.append(byte)
                            continue
                        }
                        try await device.send(line)
                        line = byte == UInt8(ascii: "\n") ? [] : [byte]
                    }
                }
                if !line.isEmpty { try await device.send(line) }
                return false
            }
            defer { group.cancelAll() }
            while let isOver = try await group.next() {
                if isOver { return }
            }
        }
    }
}

extension GeotabDevice.Fault: ExpressibleByArgument {
    /// Reads its name, such as `wrong-checksums`.
    public init?(argument: String) {
        guard let fault = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = fault
    }

    /// The names, for help and completion.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    /// Its words, with hyphens between them.
    var name: String {
        rawValue.reduce(into: "") { name, letter in
            name += letter.isUppercase ? "-\(letter.lowercased())" : String(letter)
        }
    }
}
