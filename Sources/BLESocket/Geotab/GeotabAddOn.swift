internal import BLE

/// The add-on's end of the Geotab protocol, which is a phone's in the original: events go in, actions come out.
///
/// It sends a byte each second until a device asks who it is, confirms, and then exchanges data: one message at
/// a time, with a result for each.
///
/// | state | sends | goes on with |
/// |---|---|---|
/// | syncing | 55 each second | a handshake request |
/// | handshaking | its identifier and flags | an acknowledgement, if the flags ask for one, or what a device says that knows it; without either, it syncs again |
/// | connected | data, one message after the other | until it is closed |
///
/// A device may ask again at any time, and is answered; what was being sent goes on.
///
/// Time is a duration since any moment that does not change.
public struct GeotabAddOn: Sendable {
    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The socket is open.
        case opened
        /// Bytes came.
        case received([UInt8])
        /// A message is to be sent; the number is the caller's, for ``Action/sent(_:)``.
        case send(Int, [UInt8])
        /// Whoever sent a message has given up; one that is under way is sent all the same.
        case cancel(Int)
        /// The socket is closed, or is to be.
        case closed
        /// The time of ``deadline`` has come.
        case time
    }

    /// What is to be done.
    public enum Action: Sendable {
        /// Sends bytes over the socket, after those before.
        case transmit([UInt8])
        /// Reports that the device has been shaken hands with.
        case opened
        /// Reports data of the device.
        case received([UInt8])
        /// Reports what the device tells of its vehicle.
        case receivedVehicleData(VehicleData)
        /// Reports that the device has a message, and could use it.
        case sent(Int)
        /// Reports that a message was not sent, or that the device could not use it.
        case failedToSend(Int, SocketError)
        /// Reports that something came that is not the protocol's.
        case failedToReceive(SocketError)
        /// Closes the socket, and reports why.
        case close(SocketError)
    }

    private enum State {
        case closed
        case syncing(next: Duration, limit: Duration)
        case handshaking(until: Duration, limit: Duration)
        case connected
    }

    private let configuration: Configuration
    private var state = State.closed
    private var reader: GeotabFrameReader
    private var messages: GeotabMessages
    /// Whether a device was told since the opening who this is.
    private var hasConfirmed = false

    /// Creates the end of a protocol that is not open.
    ///
    /// - Parameter configuration: how a device knows this end, and how long it is waited for.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        messages = GeotabMessages(
            maximumCount: configuration.maximumMessageCount,
            maximumByteCount: configuration.maximumMessageByteCount,
            resultLimit: configuration.resultLimit
        )
        reader = GeotabFrameReader(
            maximumBodyByteCount: configuration.maximumMessageByteCount,
            frameLimit: configuration.frameLimit
        )
    }

    /// Whether the device has been shaken hands with.
    public var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// When ``Event/time`` is to come; `nil` for never.
    public var deadline: Duration? {
        let stateDeadline: Duration? =
            switch state {
            case .closed, .connected: nil
            case .syncing(let next, let limit): min(next, limit)
            case .handshaking(let time, let limit): min(time, limit)
            }
        return .earliest(stateDeadline, reader.deadline, messages.deadline)
    }

    /// Takes what happened.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time; never before that of the event before.
    /// - Returns: what is to be done, in order.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .opened: open(at: now)
        case .received(let bytes): receive(bytes, at: now)
        case .send(let id, let body): messages.add(id, body) + sendNext(at: now)
        case .cancel(let id): messages.cancel(id)
        case .closed: close()
        case .time: passTime(now)
        }
    }
}

// MARK: - Open and closed

extension GeotabAddOn {
    private mutating func open(at now: Duration) -> [Action] {
        guard case .closed = state else { return [] }
        messages.open()
        hasConfirmed = false
        state = .syncing(
            next: now + configuration.syncInterval,
            limit: now + configuration.handshakeLimit
        )
        return [.transmit([GeotabFrame.sync])]
    }

    private mutating func close() -> [Action] {
        end(SocketError(.notConnected, "the socket was closed before the message was sent"))
    }

    /// Is closed; what was not sent fails.
    private mutating func end(_ error: SocketError) -> [Action] {
        state = .closed
        reader.reset()
        return messages.close(error)
    }

    private mutating func passTime(_ now: Duration) -> [Action] {
        var actions = handle(reader.passTime(now), at: now)
        if let deadline = messages.deadline, deadline <= now {
            // A result says not of which message it is: a late one would be taken for the next one's.
            let error = SocketError(
                .timedOut,
                "the device did not say within \(configuration.resultLimit.inUnits) what came of a message"
            )
            return actions + end(error) + [.close(error)]
        }
        switch state {
        case .syncing(_, let limit) where limit <= now,
            .handshaking(_, let limit) where limit <= now:
            let error = SocketError(
                .timedOut,
                "no device has shaken hands within \(configuration.handshakeLimit.inUnits)"
            )
            actions += end(error) + [.close(error)]
        case .syncing(let next, let limit) where next <= now,
            .handshaking(let next, let limit) where next <= now:
            // A device that had no confirmation in time waits for the byte again.
            state = .syncing(next: now + configuration.syncInterval, limit: limit)
            actions.append(.transmit([GeotabFrame.sync]))
        case .closed, .syncing, .handshaking, .connected:
            break
        }
        return actions
    }
}

// MARK: - Receiving

extension GeotabAddOn {
    private mutating func receive(_ bytes: [UInt8], at now: Duration) -> [Action] {
        if case .closed = state { return [] }
        return handle(reader.read(bytes, at: now), at: now)
    }

    private mutating func handle(_ events: [GeotabFrameReader.Event], at now: Duration) -> [Action]
    {
        events.flatMap { event -> [Action] in
            switch event {
            case .sync: []
            case .frame(let frame): handle(frame, at: now)
            case .malformed(let reason, let byteCount):
                [.failedToReceive(SocketError(reason, byteCount))]
            }
        }
    }

    private mutating func handle(_ frame: GeotabFrame, at now: Duration) -> [Action] {
        switch (frame.kind, state) {
        case (_, .closed):
            return []
        case (.handshakeRequest, .syncing(_, let limit)):
            return confirm(limit: limit, at: now)
        case (.handshakeRequest, .handshaking(_, let limit)):
            return confirm(limit: limit, at: now)
        case (.handshakeRequest, .connected):
            // The device has begun anew.
            return [confirmation]
        case (.acknowledgement, .syncing), (.acknowledgement, .handshaking),
            (.vehicleData, .syncing), (.vehicleData, .handshaking),
            (.result, .syncing), (.result, .handshaking),
            (.extendedData, .syncing), (.extendedData, .handshaking):
            // One that was not told who this is takes this end for the one before.
            guard hasConfirmed else { return [] }
            // It knows, also when its acknowledgement was lost, or is behind this.
            state = .connected
            return [.opened] + handle(frame, at: now) + sendNext(at: now)
        case (.result, .connected):
            return messages.finish(frame.body) + sendNext(at: now)
        case (.extendedData, .connected):
            return [.received(frame.body)]
        case (.vehicleData, .connected):
            guard let data = VehicleData(frame.body) else {
                return [.failedToReceive(SocketError(misshapen: frame))]
            }
            let acknowledgement = GeotabFrame(.vehicleDataAcknowledgement, checked: [])
            return [.transmit(acknowledgement.bytes), .receivedVehicleData(data)]
        case (_, .syncing), (_, .handshaking), (_, .connected):
            // Of a device that can more, or that has not noticed a new beginning.
            return []
        }
    }

    private mutating func confirm(limit: Duration, at now: Duration) -> [Action] {
        hasConfirmed = true
        guard configuration.flags.contains(.acknowledge) else {
            state = .connected
            return [confirmation, .opened] + sendNext(at: now)
        }
        state = .handshaking(until: now + configuration.acknowledgementLimit, limit: limit)
        return [confirmation]
    }

    private mutating func sendNext(at now: Duration) -> [Action] {
        isConnected ? messages.sendNext(at: now) : []
    }

    private var confirmation: Action {
        let body =
            configuration.deviceID.littleEndianBytes
            + configuration.flags.rawValue.littleEndianBytes
        return .transmit(GeotabFrame(.handshakeConfirmation, checked: body).bytes)
    }
}
