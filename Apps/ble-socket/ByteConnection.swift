import BLELocking
import BLESocket
import RadioCLI

/// What carries bytes to the other end: a socket, or messages over one.
///
/// What it is, is known from the opening on, also when it has been closed since.
protocol ByteConnection: Sendable {
    /// Whether the other end confirms bytes, and knows where they end.
    var isReliable: Bool { get async }
    /// How the bytes travel, for people and programs.
    var transportName: String { get async }
    var mtuBytes: Int? { get async }
    /// The other end's key, where what is sent is encrypted.
    var openedKey: SocketPublicKey? { get async }
    /// Why something that came could not be read, and is in no bytes; the first time.
    var malformation: SocketError? { get }

    func open() async throws
    /// Sends bytes, and returns when more can follow.
    func write(_ bytes: [UInt8]) async throws
    /// Sends no more, and returns when all that was written has been sent.
    func finish() async throws
    /// What comes, for one reader; asked for before it is opened.
    func incoming() async -> AsyncThrowingStream<[UInt8], any Error>
    /// Tells the other end something of a terminal, where the connection can carry that.
    func send(_ message: TerminalMessage) async throws
    /// What the other end tells of its terminal, for one reader; asked for before it is opened.
    func terminalMessages() async -> AsyncStream<TerminalMessage>
    /// Waits until it is closed.
    ///
    /// - Returns: why; `nil` when that is as it should be, or when the task is cancelled.
    func end() async -> SocketError?
    func close() async
}

extension Socket: ByteConnection {
    var isReliable: Bool { opened?.transport == .stream }
    var transportName: String { opened?.transport.rawValue ?? "none" }
    var openedKey: SocketPublicKey? { opened?.peerKey }
    nonisolated var malformation: SocketError? { nil }
    func incoming() -> AsyncThrowingStream<[UInt8], any Error> { received() }

    func end() async -> SocketError? {
        let events = events
        guard isOpen else { return lastEnd }
        for await case .closed(let error) in events { return error }
        return nil
    }

    func send(_ message: TerminalMessage) async throws {
        guard peerKey != nil else { return }
        try await write(control: message.bytes)
    }

    func terminalMessages() -> AsyncStream<TerminalMessage> {
        let events = events
        return AsyncStream {
            for await case .receivedControl(let bytes) in events {
                if let message = TerminalMessage(bytes) { return message }
            }
            return nil
        }
    }
}

/// Messages of the Geotab protocol as bytes.
final class GeotabConnection: ByteConnection {
    /// How many bytes a message has at most; less than the buffers of the apps.
    private static let messageByteCount = 2_048

    private let geotab: GeotabSocket
    private let socket: Socket
    private let console: Console
    private let firstMalformation = Locked<SocketError?>(nil)

    init(geotab: GeotabSocket, socket: Socket, console: Console) {
        self.geotab = geotab
        self.socket = socket
        self.console = console
    }

    var malformation: SocketError? { firstMalformation.withLock(\.self) }

    var isReliable: Bool { false }
    var transportName: String { "geotab" }
    var mtuBytes: Int? { get async { await socket.mtuBytes } }
    var openedKey: SocketPublicKey? { nil }

    func open() async throws { try await geotab.open() }

    func write(_ bytes: [UInt8]) async throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            try await geotab.send(Array(rest.prefix(Self.messageByteCount)))
            rest = rest.dropFirst(Self.messageByteCount)
        }
    }

    func finish() async throws {}

    func incoming() async -> AsyncThrowingStream<[UInt8], any Error> {
        let events = await geotab.events()
        return AsyncThrowingStream { [self] in
            for await event in events {
                switch event {
                case .received(let bytes): return bytes
                case .closed(let error):
                    guard let error else { return nil }
                    throw error
                case .failedToReceive(let error):
                    firstMalformation.withLock { $0 = $0 ?? error }
                    console.show(event)
                case .connected, .receivedVehicleData: console.show(event)
                }
            }
            return nil
        }
    }

    func send(_ message: TerminalMessage) async throws {}

    func terminalMessages() async -> AsyncStream<TerminalMessage> { AsyncStream { nil } }

    func end() async -> SocketError? { await socket.end() }

    func close() async { await geotab.close() }
}

extension Console {
    /// Tells programs of bytes that came.
    func tell(received bytes: [UInt8]) {
        event([
            "event": "received", "bytes": .integer(bytes.count), "hex": .string(bytes.hexadecimal),
        ])
    }

    /// Tells what happens beside data.
    func show(_ event: GeotabSocket.Event) {
        switch event {
        case .connected(let deviceID, let flags):
            self.event([
                "event": "handshake", "device-id": .integer(Int(deviceID)),
                "flags": .integer(Int(flags.rawValue)),
            ])
            progress("shaken hands with \(hexadecimal(deviceID)), flags \(flags.rawValue)")
        case .receivedVehicleData(let data):
            self.event([
                "event": "vehicle", "seconds": .integer(Int(data.seconds)),
                "latitude": .integer(Int(data.latitude)),
                "longitude": .integer(Int(data.longitude)), "speed": .integer(Int(data.speed)),
                "odometer": .integer(Int(data.odometer)),
            ])
        case .failedToReceive(let error):
            self.event([
                "event": "malformed", "code": .string("\(error.code)"),
                "message": .string(error.message),
            ])
            progress(error.message)
        case .received, .closed:
            break
        }
    }

    private func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension [UInt8] {
    /// The bytes as hexadecimal digits.
    var hexadecimal: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(
            decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }
}
