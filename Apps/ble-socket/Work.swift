import BLE
import BLELocking
import BLESocket
import Glibc
import RadioCLI

/// What is done with a connection once it is open.
struct Work: Sendable {
    /// Which work.
    enum Kind: Sendable, Equatable {
        /// Standard input goes, and what comes goes to standard output.
        case standard(isTerminal: Bool)
        /// A command's output goes, and what comes is its input.
        case command(String, hasTerminal: Bool)
        case send(String)
        case receive(String, byteCount: UInt64?)
        /// Sends so many bytes, and gets as many.
        case measure(byteCount: UInt64)
        /// Takes bytes and sends as many, for who measures.
        case reflect

        /// Whether there is a terminal at this end.
        var hasTerminal: Bool {
            switch self {
            case .standard(let isTerminal): isTerminal
            case .command(_, let hasTerminal): hasTerminal
            case .send, .receive, .measure, .reflect: false
            }
        }
    }

    let kind: Kind
    let connection: any ByteConnection
    let incoming: AsyncThrowingStream<[UInt8], any Error>
    let terminalMessages: AsyncStream<TerminalMessage>
    let console: Console
    /// How long it stays after the end of what it sends, where nobody can tell the other end of that; `nil` until the other
    /// end leaves.
    var linger: Duration?

    func perform() async throws {
        switch kind {
        case .standard(let isTerminal):
            let terminal = isTerminal ? try RawTerminal() : nil
            defer { terminal?.restore() }
            async let _: Void = isTerminal ? tellSize() : ()
            // A person at a terminal has nobody to type to when no more comes.
            try await join(
                input: .standardInput,
                endsWith: isTerminal ? .output : .both,
                write: { try await ByteFile.standardOutput.write($0) }
            )
            guard isTerminal, await connection.isReliable else { return }
            // Closed without this end's, the other end would take it for a loss. It may be gone already.
            _ = try? await withTimeLimit(Self.endingLimit, on: ContinuousClock()) {
                try await connection.finish()
            }
        case .command(let text, let hasTerminal):
            try await run(text, hasTerminal: hasTerminal)
        case .send(let path): try await send(path)
        case .receive(let path, let byteCount): try await receive(path, byteCount: byteCount)
        case .measure(let byteCount): try await measure(byteCount)
        case .reflect: try await reflect()
        }
    }

    /// What has to be over for all to be.
    enum JoinEnd {
        case input, output, both
    }

    /// What is over.
    private enum Part {
        case sent, received, all
    }

    /// Sends what is read from a file, and writes what comes, until both are over.
    ///
    /// - Parameters:
    ///   - input: what is read.
    ///   - end: which of them has to be over.
    ///   - hangsUp: whether what has come is of no use any more when the connection has ended.
    ///   - write: writes what comes.
    ///   - endOutput: called when no more comes.
    ///   - inputEnd: returns when whoever has sent the input is done; called when that is over.
    /// - Throws: ``SocketError``, ``SocketCommandFailure``; `CancellationError`.
    func join(
        input: ByteFile,
        endsWith end: JoinEnd,
        hangsUp: Bool = false,
        write: @escaping @Sendable ([UInt8]) async throws -> Void,
        endOutput: @escaping @Sendable () async throws -> Void = {},
        inputEnd: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        let isReliable = await connection.isReliable
        let writing = Writing()
        try await withThrowingTaskGroup(of: Part.self) { group in
            group.addTask {
                while let bytes = try await input.read() {
                    writing.isUnderWay = true
                    try await connection.write(bytes)
                    writing.isUnderWay = false
                    console.event(["event": "sent", "bytes": .integer(bytes.count)])
                }
                try await connection.finish()
                try await inputEnd()
                guard !isReliable else { return end == .input ? .all : .sent }
                // Nobody could tell the other end of raw bytes, which may have something to say still.
                guard end == .input || linger != nil else { return .sent }
                try await waitForTheAir()
                return .all
            }
            group.addTask {
                do {
                    for try await bytes in incoming {
                        try await write(bytes)
                        if console.isJSON { console.tell(received: bytes) }
                    }
                    try await endOutput()
                } catch let error as SocketError
                    where !isReliable && error.code == .lostConnection
                    && !writing.isUnderWay
                {
                    // That is how raw bytes end.
                    try await endOutput()
                    return .all
                }
                return end == .output || !isReliable ? .all : .received
            }
            if hangsUp {
                // Who does not read is not told by what comes.
                group.addTask {
                    guard let error = await connection.end() else { return .all }
                    let isExpected =
                        !isReliable && error.code == .lostConnection && !writing.isUnderWay
                    guard isExpected else { throw error }
                    return .all
                }
            }
            defer { group.cancelAll() }
            var isHalfOver = false
            while let part = try await group.next() {
                guard part != .all, !isHalfOver else { return }
                isHalfOver = true
                guard part == .received else { continue }
                // Nothing that comes tells any more of the end of the connection.
                group.addTask {
                    guard let error = await connection.end() else { return .all }
                    throw error
                }
            }
        }
    }

    /// Waits until raw bytes have left: no event says so, and the end of a connection drops what waits in bluetoothd.
    func waitForTheAir() async throws {
        try await ContinuousClock().sleep(for: linger ?? .milliseconds(500))
    }

    // MARK: - Speed

    /// Ends what is sent; over a stream waits for the other end to do the same.
    ///
    /// Its end may be on its way still: closed before that has come, the other end would take it for a loss.
    func finish(_ incoming: IncomingBytes) async throws {
        var incoming = incoming
        try await connection.finish()
        guard await connection.isReliable else { return }
        while try await incoming.next() != nil {}
    }

    private func measure(_ byteCount: UInt64) async throws {
        var incoming = IncomingBytes(incoming)
        try await connection.write(byteCount.littleEndianBytes)
        var sent = Transfer(console, "sent", of: byteCount)
        while sent.byteCount < byteCount {
            let count = Int(min(byteCount - sent.byteCount, 65_536))
            try await connection.write([UInt8](repeating: 0x55, count: count))
            sent.add(count)
        }
        // The other end says that it has all, before it sends.
        guard try await incoming.next(exactly: 1) == [0] else { throw Self.noReflector }
        sent.finish("all of them there", true)
        var received = Transfer(console, "received", of: byteCount)
        try await connection.write([0])
        while received.byteCount < byteCount {
            guard
                let bytes = try await incoming.next(
                    upTo: Int(clamping: byteCount - received.byteCount)
                )
            else { throw Self.noReflector }
            received.add(bytes.count)
        }
        received.finish("all of them here", true)
        try await finish(incoming)
    }

    private static var noReflector: SocketCommandFailure {
        SocketCommandFailure(
            .protocol,
            "noSpeed",
            "the other end does not measure; start it with 'ble-socket speed --listen'"
        )
    }

    private func reflect() async throws {
        var incoming = IncomingBytes(incoming)
        guard let count = try await incoming.next(exactly: 8) else { return }
        let byteCount = UInt64(littleEndian: count)
        var received: UInt64 = 0
        while received < byteCount {
            guard
                let bytes = try await incoming.next(upTo: Int(clamping: byteCount - received))
            else { return }
            received += UInt64(bytes.count)
        }
        try await connection.write([0])
        guard try await incoming.next(exactly: 1) == [0] else { return }
        var sent: UInt64 = 0
        while sent < byteCount {
            let count = Int(min(byteCount - sent, 65_536))
            try await connection.write([UInt8](repeating: 0xAA, count: count))
            sent += UInt64(count)
        }
        try await connection.finish()
        // The other end has all when it goes.
        while try await incoming.next() != nil {}
    }
}

/// Whether bytes have not been taken yet, which the end of a connection loses.
private final class Writing: Sendable {
    private let value = Locked(false)

    var isUnderWay: Bool {
        get { value.withLock(\.self) }
        set { value.withLock { $0 = newValue } }
    }
}
