import BLE
import Dispatch
import RadioCLI
import RelayAccount

/// Speaks to the node that runs with a store, if one does.
struct ControlClient {
    let folder: String
    let console: Console

    /// What the node says about a request that failed.
    private struct Failure: CommandFailure, CustomStringConvertible {
        let exitStatus: ExitStatus
        let codeName: String
        let remedy: String?
        let description: String
    }

    /// Lets the node do something, or does it with the store when none runs.
    ///
    /// - Parameters:
    ///   - request: what.
    ///   - show: gets what comes of it.
    ///   - use: does it with the store.
    /// - Throws: `StoreError`; what the node failed with, or `use`; `CancellationError`.
    func perform(
        _ request: ControlRequest,
        _ show: @escaping @Sendable (ControlReply) -> Void,
        or use: (RelayStore) async throws -> Void
    ) async throws {
        try await RelayStore.withStore(
            in: folder,
            console,
            unless: { try await perform(request, show) },
            use
        )
    }

    /// Lets the node do something.
    ///
    /// - Parameters:
    ///   - request: what.
    ///   - show: gets what comes of it.
    /// - Returns: whether a node runs.
    /// - Throws: `StoreError`; what the node failed with; `CancellationError`.
    private func perform(
        _ request: ControlRequest,
        _ show: @escaping @Sendable (ControlReply) -> Void
    ) async throws -> Bool {
        guard let socket = try ControlSocket.connect(in: folder) else { return false }
        let outcome = Promise<ControlReply?>()
        DispatchQueue(label: "speaks to the node").async {
            outcome.fulfil(.success(Self.exchange(request, over: socket, show)))
        }
        let last = try await withTaskCancellationHandler {
            try await outcome.wait()
        } onCancel: {
            socket.interrupt()
        }
        try Task.checkCancellation()
        switch last {
        case .done: return true
        case .failed(let code, let message, let status, let remedy):
            throw Failure(
                exitStatus: ExitStatus(rawValue: status) ?? .software,
                codeName: code,
                remedy: remedy,
                description: message
            )
        default:
            throw Failure(
                exitStatus: .temporary,
                codeName: "nodeEnded",
                remedy: request.sends
                    ? "what was sent waits in the store, and is sent again when 'dim-relay node' runs"
                    : "try again",
                description: "the node of \(folder) ended, or waited too long, before all was said"
            )
        }
    }

    /// Sends the request, and shows what comes, but for the last; blocks.
    ///
    /// - Returns: the last; `nil` when the node ended without.
    private static func exchange(
        _ request: ControlRequest,
        over socket: ControlSocket,
        _ show: (ControlReply) -> Void
    ) -> ControlReply? {
        guard socket.send(request) else { return nil }
        var received: [UInt8] = []
        while let reply = socket.receive(ControlReply.self, &received) {
            switch reply {
            case .done, .failed: return reply
            default: show(reply)
            }
        }
        return nil
    }
}

extension ControlRequest {
    /// Whether it sends messages, which wait in the store.
    fileprivate var sends: Bool {
        switch self {
        case .send, .resend: true
        case .link, .add, .contacts, .verify, .remove, .delete, .clear, .messages, .who: false
        }
    }
}
