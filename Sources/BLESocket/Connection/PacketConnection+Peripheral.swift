internal import BLE

// A connection that waits for a central.
extension PacketConnection {
    /// What is asked of the radio, one after the other.
    enum Operation: Sendable {
        /// For a publication of this number; what comes of an earlier one is of no interest.
        case action(ListeningSocket.Action, Int)
        case fulfil(Promise<Void>)
    }

    func listen(on radio: any PeripheralRadio) {
        if operations == nil {
            let (stream, continuation) = AsyncStream.makeStream(of: Operation.self)
            operations = continuation
            Task(executorPreference: executor) { [weak self] in
                for await operation in stream { await self?.carryOut(operation, on: radio) }
            }
        }
        watching = executor.task(of: self) { connection in
            for await state in await radio.states() {
                guard !Task.isCancelled else { return }
                connection.handle(.radioBecame(state))
            }
            if !Task.isCancelled { connection.handle(.radioClosed) }
        }
        handle(.open)
    }

    func stopListening() async {
        handle(.close)
        guard let operations else { return }
        let done = Promise<Void>()
        operations.yield(.fulfil(done))
        // In a task that nobody cancels, so that it fails with nothing.
        await Task { _ = try? await done.wait() }.value
    }

    func handle(_ event: ListeningSocket.Event) {
        for action in machine.handle(event, at: now) { carryOut(action) }
        if machine.isOpen || machine.isIdle { hasToldOfAdvertising = false }
        if machine.isIdle {
            watching?.cancel()
            watching = nil
        }
        arm()
    }

    /// Takes what comes of a publication; that of an earlier one is left out.
    func handle(_ event: ListeningSocket.Event, of number: Int) {
        if number == publicationNumber { handle(event) }
    }

    private func carryOut(_ action: ListeningSocket.Action) {
        switch action {
        case .publish, .advertise, .stopAdvertising, .withdraw, .disconnect:
            if case .publish = action { publicationNumber += 1 }
            operations?.yield(.action(action, publicationNumber))
        case .didOpen(let transport, let central):
            guard let publication else { return }
            report(.opened(channel(transport, publication, central)))
        case .didReceive(let bytes): report(.received(bytes))
        case .didLose(let error): report(.lost(error))
        case .didCloseUnexpectedly(let error): report(.closed(error))
        case .didClose:
            // It may open again, and wait anew.
            hasToldOfAdvertising = false
            report(.closed(nil))
        }
    }

    private func channel(
        _ transport: SocketTransport,
        _ publication: any Publication,
        _ central: PeerID?
    ) -> PacketChannel {
        let notify = configuration.notifyID(of: transport)
        return PacketChannel(
            number: nextChannelNumber(),
            transport: transport,
            mtuBytes: {
                guard let central else { return 23 }
                return await publication.mtuBytes(of: central) ?? 23
            },
            transmit: { try await publication.update(notify, to: $0) }
        )
    }

    private func carryOut(_ operation: Operation, on radio: any PeripheralRadio) async {
        switch operation {
        case .fulfil(let done):
            done.fulfil()
        case .action(.publish, let number):
            do {
                publication = try await radio.publish(
                    configuration.gattService,
                    advertising: nil,
                    options: configuration.publicationOptions,
                    responder: PacketResponder(self, number, configuration)
                )
                handle(.published, of: number)
            } catch {
                handle(.failed(error), of: number)
            }
        case .action(.advertise, let number):
            do {
                advertising = try await radio.advertise(configuration.advertisement)
                if !hasToldOfAdvertising { report(.advertised) }
                hasToldOfAdvertising = true
                handle(.advertised, of: number)
            } catch {
                handle(.failed(error), of: number)
            }
        case .action(.stopAdvertising, _):
            await advertising?.stop()
            advertising = nil
        case .action(.withdraw, _):
            await publication?.withdraw()
            publication = nil
        case .action(.disconnect(let central), _):
            do {
                try await publication?.disconnect(central)
            } catch {
                let failure = SocketError(
                    .notPermitted,
                    "another central, \(central), reads what is sent, and stays connected",
                    underlying: error
                )
                report(.failedToReceive(failure))
            }
        case .action(.didOpen, _), .action(.didReceive, _), .action(.didLose, _),
            .action(.didClose, _), .action(.didCloseUnexpectedly, _):
            break
        }
    }

    func didPublish(_ publication: any Publication, _ number: Int) {
        if number == publicationNumber { self.publication = publication }
    }
}

/// Hands a peripheral's requests to its connection.
private struct PacketResponder: PromptResponder {
    private let connection: WeakConnection
    private let number: Int
    private let configuration: SocketConfiguration

    init(_ connection: PacketConnection, _ number: Int, _ configuration: SocketConfiguration) {
        self.connection = WeakConnection(connection)
        self.number = number
        self.configuration = configuration
    }

    func didPublish(_ publication: any Publication) async {
        await connection.value?.didPublish(publication, number)
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        // A characteristic that can be read has no value of its own.
        []
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        guard let transport = configuration.transport(written: characteristic) else {
            throw .writeNotPermitted
        }
        let event = ListeningSocket.Event.received(value, transport, from: request.central)
        await connection.value?.handle(event, of: number)
    }

    func handle(_ event: PublicationEvent) async {
        guard let event = listeningEvent(event) else { return }
        await connection.value?.handle(event, of: number)
    }

    private func listeningEvent(_ event: PublicationEvent) -> ListeningSocket.Event? {
        switch event {
        case .subscribed(let characteristic, let central):
            configuration.transport(notifying: characteristic).map { .subscribed($0, central) }
        case .unsubscribed(let characteristic, let central):
            configuration.transport(notifying: characteristic).map { .unsubscribed($0, central) }
        case .connected(let central): .connected(central)
        case .disconnected(let central): .disconnected(central)
        // Nobody is notified alone here, and each write says its MTU.
        case .individualNotificationsEnded, .mtuChanged: nil
        case .lostWrites(let count, let characteristic, let central):
            configuration.transport(written: characteristic).map {
                .missed(count, $0, from: central)
            }
        case .ended(let error): .ended(error)
        }
    }
}

/// A connection that a publication does not keep.
private final class WeakConnection: Sendable {
    weak let value: PacketConnection?

    init(_ value: PacketConnection) {
        self.value = value
    }
}
