import BLE
import BLESocket
import BlueZ
import RadioCLI

/// One use of a socket, from the opening to the end.
struct SocketSession: Sendable {
    let connection: any ByteConnection
    let console: Console

    /// - Parameters:
    ///   - kind: what is done with the connection.
    ///   - linger: how long it stays after the end of what it sends, see ``Work/linger``.
    ///   - waiting: what is said until somebody is connected.
    ///   - limit: how long that may take; `nil` for as long as the socket lets it.
    /// - Throws: `SocketError`, also when nobody was connected in time; what the work throws.
    func perform(
        _ kind: Work.Kind,
        linger: Duration? = nil,
        waiting: String,
        upTo limit: Duration? = nil
    ) async throws {
        console.event(["event": "opening"])
        console.progress(waiting)
        // Before it is opened, so that nothing is missed.
        let incoming = await connection.incoming()
        let terminalMessages = await terminalMessages(for: kind)
        try await perform(kind, with: incoming, terminalMessages, linger: linger) {
            try await open(within: limit)
        }
    }

    /// Does something with a connection that is open already.
    ///
    /// - Parameter kind: what.
    /// - Throws: `SocketError`; what the work throws.
    func perform(_ kind: Work.Kind) async throws {
        let incoming = await connection.incoming()
        try await perform(kind, with: incoming, await terminalMessages(for: kind), linger: nil) {}
    }

    /// None for who does not read them.
    private func terminalMessages(for kind: Work.Kind) async -> AsyncStream<TerminalMessage> {
        kind.hasTerminal ? await connection.terminalMessages() : AsyncStream { nil }
    }

    private func perform(
        _ kind: Work.Kind,
        with incoming: AsyncThrowingStream<[UInt8], any Error>,
        _ terminalMessages: AsyncStream<TerminalMessage>,
        linger: Duration?,
        opening: () async throws -> Void
    ) async throws {
        let result: Result<Void, any Error>
        do {
            try await opening()
            let (transport, mtuBytes) = await (connection.transportName, connection.mtuBytes)
            let peerKey = await connection.openedKey
            console.event([
                "event": "connected", "transport": .string(transport),
                "mtu": mtuBytes.map { .integer($0) },
                "peer-key": peerKey.map { .string($0.description) },
            ])
            let privacy = peerKey.map { "encrypted with the key \($0)" } ?? "not encrypted"
            console.progress("connected, \(transport), \(privacy)")
            console.clearProgress()
            let work = Work(
                kind: kind,
                connection: connection,
                incoming: incoming,
                terminalMessages: terminalMessages,
                console: console,
                linger: linger
            )
            result = .success(try await work.perform())
        } catch {
            result = .failure(error)
        }
        let connection = connection
        await close { await connection.close() }
        console.event(["event": "closed", "why": .string(Self.why(result))])
        try result.get()
    }

    private func open(within limit: Duration?) async throws {
        guard let limit else { return try await connection.open() }
        let opened: Void? = try await withTimeLimit(limit, on: ContinuousClock()) {
            try await connection.open()
        }
        guard opened == nil else { return }
        throw SocketError(.timedOut, "nobody connected within \(limit.inUnits)")
    }

    /// Why a connection was closed, for programs.
    static func why(_ result: Result<Void, any Error>) -> String {
        switch result {
        case .success: "done"
        case .failure(let error): "\(error)"
        }
    }
}
