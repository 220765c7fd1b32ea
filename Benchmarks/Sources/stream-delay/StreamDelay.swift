import BLE
import BLESocket
import BlueZ
import Glibc
import Measuring

/// How long a message of 20 bytes takes from one end of a stream to the other: `stream-delay COUNT`, between hci0 and hci1.
///
/// It prints the median and the 95th percentile of COUNT messages, in nanoseconds: over a stream that carries nothing else, over
/// one that is full of other messages the same way, and the other way.
@main
enum StreamDelay {
    private static let service: SocketConfiguration = {
        var service = SocketConfiguration.nordicUART
        service.transports = [.stream]
        return service
    }()

    static func main() async throws {
        guard let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init), count > 0
        else {
            print("usage: stream-delay COUNT")
            exit(64)
        }
        let peripheral = Socket(listeningOn: try await Adapter.open("hci1"), service)
        let central = Socket(connectingOver: try await Adapter.open("hci0"), service)
        async let isListening: Void = peripheral.open()
        try await central.open()
        try await isListening
        let ends = [End(central), End(peripheral)]
        for end in ends { await end.begin() }
        var figures: [String] = []
        for (direction, (from, to)) in zip(
            ["sent", "received"],
            [(ends[0], ends[1]), (ends[1], ends[0])]
        ) {
            for (name, busy) in [("idle", nil), ("same", from), ("other", to)] {
                let load = busy.map { busy in Task { try await busy.load() } }
                let delays = try await from.delays(count, to: to).sorted()
                await busy?.stopLoading()
                try await load?.value
                figures.append(
                    """
                    "\(direction)_\(name)":{"median":\(delays[count / 2]),\
                    "most":\(delays[min(count - 1, count * 95 / 100)])}
                    """
                )
            }
        }
        say("{\(figures.joined(separator: ","))}")
        exit(0)
    }
}

/// One end of the stream, and what it reads.
private actor End {
    private static let loadByteCount = 4_096
    private static let messageByteCount = 20

    private let socket: Socket
    private var isLoading = false
    private nonisolated let delays: AsyncStream<UInt64>
    private let arrived: AsyncStream<UInt64>.Continuation

    init(_ socket: Socket) {
        self.socket = socket
        (delays, arrived) = AsyncStream.makeStream()
    }

    func begin() async {
        let received = await socket.received()
        Task {
            do {
                try await read(received)
            } catch {
                print("stream-delay: \(error)")
                exit(1)
            }
        }
    }

    /// A message is its length, and for a short one the time at which it was sent.
    private func read(_ received: AsyncThrowingStream<[UInt8], any Error>) async throws {
        var bytes: [UInt8] = []
        for try await piece in received {
            bytes += piece
            var rest = bytes[...]
            while let count = Self.number(rest.prefix(4), of: 4), rest.count >= Int(count) {
                let message = rest.prefix(Int(count))
                rest = rest.dropFirst(Int(count))
                guard count == Self.messageByteCount,
                    let time = Self.number(message.dropFirst(4).prefix(8), of: 8)
                else { continue }
                arrived.yield(CurrentTime.wall - time)
            }
            bytes = Array(rest)
        }
    }

    private static func number(_ bytes: ArraySlice<UInt8>, of count: Int) -> UInt64? {
        bytes.count == count ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : nil
    }

    private static func message(of byteCount: Int) -> [UInt8] {
        let length = (0..<4).map { UInt8(truncatingIfNeeded: byteCount >> ($0 * 8)) }
        let time = CurrentTime.wall
        let clock = (0..<8).map { UInt8(truncatingIfNeeded: time >> ($0 * 8)) }
        return length + clock + [UInt8](repeating: 0, count: byteCount - 12)
    }

    /// Sends as much as the stream takes, until it is to stop: whole messages, so not by cancelling.
    func load() async throws {
        isLoading = true
        while isLoading { try await socket.write(Self.message(of: Self.loadByteCount)) }
    }

    func stopLoading() {
        isLoading = false
    }

    /// Sends messages one after the other, each a moment after the one before has come.
    func delays(_ count: Int, to other: End) async throws -> [UInt64] {
        // What fills the stream has begun.
        try await Task.sleep(for: .seconds(1))
        var delays: [UInt64] = []
        try await send()
        for await delay in other.delays {
            delays.append(delay)
            guard delays.count < count else { break }
            try await Task.sleep(for: .milliseconds(10))
            try await send()
        }
        return delays
    }

    private func send() async throws {
        try await socket.write(Self.message(of: Self.messageByteCount))
    }
}
