import BLEStorage
import Dispatch
import Glibc
import MeshRelay
import RadioCLI
import Synchronization

/// Takes what other commands ask a node for, until it is stopped.
final class ControlServer: Sendable {
    /// How many commands are served at once; more are told that the node is busy.
    private static let maximumCommandCount = 16
    /// How long nothing is accepted when the system has no room for another connection.
    private static let pauseMicroseconds: UInt32 = 100_000

    private let folder: String
    private let listener: Int32
    private let service: RelayService
    private let hasStopped = Atomic(false)
    private let commandCount = Atomic(0)
    private let tasks: AsyncStream<ControlSocket>
    private let accepted: AsyncStream<ControlSocket>.Continuation

    /// Makes the socket in the store's folder.
    ///
    /// - Parameters:
    ///   - folder: the store's, which this process has.
    ///   - service: does what is asked for.
    /// - Throws: `StoreError`: `notPermitted`, `failed`.
    init(folder: String, service: RelayService) throws(StoreError) {
        self.folder = folder
        self.service = service
        listener = try ControlSocket.listen(in: folder)
        (tasks, accepted) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.maximumCommandCount)
        )
        DispatchQueue(label: "listens to commands").async { [self] in
            accepting: while !hasStopped.load(ordering: .acquiring) {
                if let socket = ControlSocket.accept(listener) {
                    accepted.yield(socket)
                    continue
                }
                switch errno {
                case EINTR, ECONNABORTED: break
                // Who waits to be accepted would be reported again at once, until something else has ended.
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(Self.pauseMicroseconds)
                default: break accepting
                }
            }
            accepted.finish()
            close(listener)
        }
    }

    /// Serves commands while something is done, or until this is cancelled; once.
    ///
    /// - Parameter work: what is done.
    /// - Throws: what that throws.
    func serve(while work: @Sendable () async throws -> Void) async throws {
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup { group in
                group.addTask { await self.serve() }
                let result: Result<Void, any Error>
                do {
                    result = .success(try await work())
                } catch {
                    result = .failure(error)
                }
                stop()
                group.cancelAll()
                try result.get()
            }
        } onCancel: {
            stop()
        }
    }

    private func serve() async {
        await withDiscardingTaskGroup { group in
            for await socket in tasks { group.addTask { await self.serve(socket) } }
        }
    }

    /// Takes no more commands, and removes the socket.
    private func stop() {
        guard !hasStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
        unlink("\(folder)/\(ControlSocket.name)")
        // `accept` returns then.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func serve(_ socket: ControlSocket) async {
        let queue = DispatchQueue(label: "speaks to a command")
        let request = await withCheckedContinuation { continuation in
            queue.async {
                var received: [UInt8] = []
                continuation.resume(returning: socket.receive(ControlRequest.self, &received))
            }
        }
        guard let request else { return }
        let isBusy =
            commandCount.wrappingAdd(1, ordering: .relaxed).newValue > Self.maximumCommandCount
        defer { commandCount.wrappingSubtract(1, ordering: .relaxed) }
        @Sendable func isSent(_ reply: ControlReply) async -> Bool {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: socket.send(reply)) }
            }
        }
        let work = Task { [service] in
            guard !isBusy else {
                throw RelayError(.busy, "the node serves \(Self.maximumCommandCount) commands")
            }
            try await service.perform(request) { reply in
                guard await !isSent(reply) else { return }
                // Whoever is gone, or takes nothing, gets nothing more, and so sees that something is missing.
                socket.interrupt()
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        DispatchQueue(label: "watches a command").async {
            socket.waitUntilClosed()
            work.cancel()
        }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            work.cancel()
        }
        switch result {
        case .success: _ = await isSent(.done)
        // The node ends, or the command has; nothing is wrong with the request.
        case .failure(is CancellationError): break
        case .failure(let error): _ = await isSent(ControlReply(error))
        }
        socket.interrupt()
    }
}

extension ControlReply {
    /// What a request failed with.
    fileprivate init(_ error: any Error) {
        let failure = error as? any CommandFailure
        let status = ExitStatus(error)
        self = .failed(
            code: failure?.codeName ?? "failed",
            message: "\(error)",
            status: status.rawValue,
            remedy: failure?.remedy ?? status.remedy
        )
    }
}
