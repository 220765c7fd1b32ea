import BLE
import BLESocket
import BlueZ
import RadioCLI

/// Serves several centrals at once, each with its own work.
struct Serving: Sendable {
    let work: Work.Kind
    let console: Console

    /// Listens until the task is cancelled.
    ///
    /// - Parameters:
    ///   - count: how many it serves at once; others are refused.
    ///   - radio: over which it is reached.
    ///   - configuration: of the sockets.
    /// - Throws: `SocketError` when the service cannot be published, or the radio was closed for good; `CancellationError`.
    func serve(
        upTo count: Int,
        on radio: Adapter,
        _ configuration: SocketConfiguration
    ) async throws {
        let listener = SocketListener(on: radio, configuration, maximumSocketCount: count)
        let events = await listener.events()
        console.event(["event": "opening"])
        try await listener.open()
        console.event([
            "event": "advertising", "adapter": .string(radio.name),
            "service": .string(configuration.service.longText),
        ])
        console.progress("listening on \(radio.name) for up to \(count) at once")
        let end = await withDiscardingTaskGroup(returning: SocketError?.self) { group in
            var number = 0
            var end: SocketError?
            for await event in events {
                switch event {
                case .accepted(let socket):
                    number += 1
                    let console = console.ofConnection(number)
                    group.addTask { await serve(socket, console) }
                case .refused(let error), .interrupted(let error):
                    console.event(of: error)
                    console.failure("\(error)")
                case .ended(let error): end = error
                }
            }
            group.cancelAll()
            return end
        }
        await close { await listener.close() }
        try Task.checkCancellation()
        if let end { throw end }
    }

    private func serve(_ socket: Socket, _ console: Console) async {
        do {
            try await SocketSession(connection: socket, console: console).perform(work)
            console.progress("done")
        } catch is CancellationError {
            return
        } catch {
            console.event(of: error)
            console.failure("\(error)")
        }
    }
}
