import BLE
import BLESocket
import BlueZ
import RadioCLI

/// One use of a socket, from the opening to the end.
struct SocketSession: Sendable {
    /// How long closing may take: somebody waits for the shell.
    private static let closingLimit = Duration.seconds(5)

    let connection: any ByteConnection
    let console: Console

    func perform(_ kind: Work.Kind, linger: Duration? = nil, waiting: String) async throws {
        let incoming = await connection.incoming()
        console.event(["event": "opening"])
        console.progress(waiting)
        let result: Result<Void, any Error>
        do {
            try await connection.open()
            let (transport, mtuBytes) = await (connection.transportName, connection.mtuBytes)
            console.event([
                "event": "opened", "transport": .string(transport),
                "mtu": mtuBytes.map { .integer($0) },
            ])
            console.progress("connected, \(transport)")
            console.clearProgress()
            let work = Work(
                kind: kind,
                connection: connection,
                incoming: incoming,
                console: console,
                linger: linger
            )
            result = .success(try await work.perform())
        } catch {
            result = .failure(error)
        }
        // In a task of its own, as the command may have been cancelled; and not for ever, where bluetoothd hangs.
        let closed = Promise<Void>()
        Task {
            await connection.close()
            closed.fulfil()
        }
        await Task {
            _ = try? await withTimeLimit(Self.closingLimit, on: ContinuousClock()) {
                try await closed.wait()
            }
        }.value
        console.event(["event": "closed", "why": .string(Self.why(result))])
        try result.get()
    }

    private static func why(_ result: Result<Void, any Error>) -> String {
        switch result {
        case .success: "done"
        case .failure(let error): "\(error)"
        }
    }
}
