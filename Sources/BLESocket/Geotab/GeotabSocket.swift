internal import BLE

/// One end of the Geotab protocol over a socket.
///
/// ```swift
/// let configuration = SocketConfiguration.keyless(service: service)
/// let phone = GeotabSocket(over: Socket(listeningOn: adapter, configuration), as: .addOn(.keyless))
/// try await phone.open()
/// try await phone.send([1, 2, 3])
/// for await event in await phone.events() { print(event) }
/// ```
///
/// The add-on is a phone, and the peripheral, in the original; the device is the central. The bytes and times are those of
/// ``GeotabAddOn`` and ``GeotabDevice``.
public actor GeotabSocket {
    /// Which end this is.
    public enum End: Sendable {
        /// Whoever tells a device who it is, and sends it messages.
        case addOn(GeotabAddOn.Configuration)
        /// A vehicle's device.
        case device(GeotabDevice.Configuration)
    }

    /// What happens, in order.
    public enum Event: Sendable {
        /// A device was told who the add-on is: both have shaken hands, for the first time or anew.
        case connected(deviceID: UInt16, GeotabAddOn.Configuration.Flags)
        /// Data of the other end: one message.
        case received([UInt8])
        /// What a device tells of its vehicle.
        case receivedVehicleData(VehicleData)
        /// Something came that is not the protocol's.
        case failedToReceive(SocketError)
        /// Nothing more happens; without an error when this end was closed here.
        case closed(SocketError?)
    }

    private enum Machine {
        case addOn(GeotabAddOn)
        case device(GeotabDevice)

        var deadline: Duration? {
            switch self {
            case .addOn(let addOn): addOn.deadline
            case .device(let device): device.deadline
            }
        }
    }

    private static let maximumTransmissionCount = 256

    private let socket: Socket
    private let end: End
    private let time: @Sendable () -> Duration
    private var machine: Machine
    private var lastSend = 0
    private var sends: [Int: Promise<Void>] = [:]
    private var opening: Promise<Void>?
    private var deadline: (time: Duration, timer: Deadline)?
    private var eventQueue = GeotabEvents()
    private var transmissions: AsyncStream<Transmission>.Continuation?
    /// How many of those have not been sent.
    private var transmissionCount = 0
    private var tasks: [Task<Void, Never>] = []

    /// Bytes that are to be sent, one part after the other, and who waits for that.
    private struct Transmission: Sendable {
        let parts: [[UInt8]]
        let sent: Promise<Void>?
    }

    /// The socket's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { socket.unownedExecutor }

    /// Creates an end that is not open.
    ///
    /// - Parameters:
    ///   - socket: what carries its bytes; used by this alone.
    ///   - end: which end this is.
    public init(over socket: Socket, as end: End) {
        self.socket = socket
        self.end = end
        time = socket.clock.stopwatch()
        machine = Self.machine(end)
    }

    private static func machine(_ end: End) -> Machine {
        switch end {
        case .addOn(let configuration): .addOn(GeotabAddOn(configuration))
        case .device(let configuration): .device(GeotabDevice(configuration))
        }
    }

    /// Opens the socket, and waits until both ends have shaken hands.
    ///
    /// After a loss it is closed, also over a socket that opens again by itself, and can be opened anew.
    ///
    /// - Throws: ``SocketError``, as ``Socket/open()``, and ``SocketError/Code/timedOut`` when the other end has
    ///   not shaken hands in time; `CancellationError`, and then it is closed.
    public func open() async throws {
        try Task.checkCancellation()
        guard opening == nil, tasks.isEmpty else {
            throw SocketError(.alreadyOpen, "the socket is open already, or being opened")
        }
        let opened = Promise<Void>()
        opening = opened
        machine = Self.machine(end)
        eventQueue.begin()
        let received: AsyncThrowingStream<[UInt8], any Error>
        do {
            let opening = try beginOpeningSocket()
            received = opening.received
            try await socket.waitUntilOpen(opening.opened)
        } catch {
            opening = nil
            throw error
        }
        begin(received)
        do {
            try await opened.wait()
        } catch let error as CancellationError {
            await close()
            throw error
        }
    }

    /// Begins at once, so that nobody can close this before the socket is being opened, too.
    private func beginOpeningSocket() throws -> (
        received: AsyncThrowingStream<[UInt8], any Error>, opened: Promise<Void>
    ) {
        try socket.assumeIsolated { ($0.received(), try $0.beginOpening()) }
    }

    private func begin(_ received: AsyncThrowingStream<[UInt8], any Error>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Transmission.self)
        transmissions = continuation
        let executor = socket.executor
        tasks = [
            executor.task(of: self) { end in
                for await transmission in stream { await end.carryOut(transmission) }
            },
            executor.task(of: self) { end in
                do {
                    for try await bytes in received { end.handle(received: bytes) }
                    end.finish(nil)
                } catch {
                    // One that opens again by itself would wait for a device below an end that is over.
                    await end.socket.close()
                    end.finish(error as? SocketError)
                }
            },
        ]
        switch machine {
        case .addOn: handle(GeotabAddOn.Event.opened)
        case .device: handle(GeotabDevice.Event.opened)
        }
    }

    /// Sends one message after those before.
    ///
    /// An add-on's returns when the device has said that it could use it; a device's, which is told nothing, when the
    /// radio has taken it.
    ///
    /// - Parameter message: at most ``GeotabAddOn/Configuration/maximumMessageByteCount`` bytes, or
    ///   ``GeotabDevice/Configuration/maximumMessageByteCount``: 8,192, unless there are to be more.
    /// - Throws: ``SocketError``: ``SocketError/Code/tooLong``, ``SocketError/Code/notConnected``,
    ///   ``SocketError/Code/refused``, ``SocketError/Code/full``, ``SocketError/Code/timedOut``,
    ///   ``SocketError/Code/lostConnection``; `CancellationError`.
    public func send(_ message: [UInt8]) async throws {
        let sent = Promise<Void>()
        let id: Int?
        switch machine {
        case .addOn:
            lastSend += 1
            id = lastSend
            sends[lastSend] = sent
            handle(.send(lastSend, message))
        case .device(var device):
            guard device.isConnected, transmissions != nil else {
                throw SocketError(
                    .notConnected,
                    "a message of \(message.count) bytes was not sent: no add-on is connected"
                )
            }
            id = nil
            let frame = try device.frame(of: message)
            let actions = device.handle(.send(frame), at: now)
            machine = .device(device)
            // Of a device that does something wrong, they may be several, and others than the frame.
            let parts = actions.compactMap { action -> [UInt8]? in
                if case .transmit(let bytes) = action { bytes } else { nil }
            }
            guard transmit(Transmission(parts: parts, sent: sent)) else {
                throw SocketError(
                    .full,
                    "a message of \(message.count) bytes was not sent: \(Self.maximumTransmissionCount) wait already"
                )
            }
        }
        do {
            try await sent.wait()
        } catch let error as CancellationError {
            if let id { handle(.cancel(id)) }
            throw error
        }
    }

    /// Changes what a device tells of its vehicle; does nothing for an add-on.
    ///
    /// - Parameter data: what it tells from now on.
    public func changeVehicleData(to data: VehicleData) {
        guard case .device = machine else { return }
        handle(.changeVehicleData(data))
    }

    /// Lets a device shake hands anew, as after a restart; does nothing for an add-on.
    public func restart() {
        guard case .device = machine else { return }
        handle(GeotabDevice.Event.restart)
    }

    /// What happens from the opening on; for one consumer.
    ///
    /// At most 1,024 events wait for the consumer, also before this is called; with one more it is closed. An add-on is not
    /// told that a device has a message for which there was no room. Of vehicle data that come before this is called the
    /// newest wait.
    ///
    /// - Returns: the events, with ``Event/closed(_:)`` as the last.
    public func events() -> AsyncStream<Event> {
        eventQueue.stream()
    }

    /// Closes the socket.
    ///
    /// Returns when that is done; at once when it is closed already.
    public func close() async {
        finish(nil)
        await socket.close()
    }

    // MARK: - Events and actions

    private var now: Duration { time() }

    /// - Returns: whether there was room.
    private func transmit(_ transmission: Transmission) -> Bool {
        guard let transmissions else { return false }
        guard transmissionCount < Self.maximumTransmissionCount else { return false }
        transmissionCount += 1
        if transmissionCount == 1 { handle(.changeWaiting(true)) }
        transmissions.yield(transmission)
        return true
    }

    /// Sends what nobody waits for; who asks for more than the radio takes is given up.
    private func transmit(_ bytes: [UInt8]) {
        guard transmissions != nil, !transmit(Transmission(parts: [bytes], sent: nil)) else {
            return
        }
        transmissions?.finish()
        transmissions = nil
        giveUp(
            because:
                "\(Self.maximumTransmissionCount) frames wait for the radio, and the other end asks for more"
        )
    }

    /// Closes the socket, once what is being done is done, because of what is full.
    private func giveUp(because reason: String) {
        let error = SocketError(.full, "the socket was closed: \(reason)")
        socket.executor.task(of: self) { end in
            end.finish(error)
            await end.socket.close()
        }
    }

    private func carryOut(_ transmission: Transmission) async {
        defer {
            transmissionCount -= 1
            if transmissionCount == 0 { handle(.changeWaiting(false)) }
        }
        do {
            for part in transmission.parts { try await socket.send(part) }
            transmission.sent?.fulfil()
        } catch {
            // Why it is closed comes with what is received.
            transmission.sent?.fail(error)
        }
    }

    /// - Returns: whether there was room; without it the socket is closed.
    @discardableResult
    private func tell(_ event: Event) -> Bool {
        guard !eventQueue.isFull else { return false }
        guard !eventQueue.add(event) else { return true }
        giveUp(because: "\(GeotabEvents.maximumCount) events wait for who takes them")
        return false
    }

    private func handle(received bytes: [UInt8]) {
        switch machine {
        case .addOn: handle(GeotabAddOn.Event.received(bytes))
        case .device: handle(GeotabDevice.Event.received(bytes))
        }
    }

    private func handle(_ event: GeotabAddOn.Event) {
        guard case .addOn(var addOn) = machine else { return }
        let actions = addOn.handle(event, at: now)
        machine = .addOn(addOn)
        for action in actions {
            switch action {
            case .transmit(let bytes): transmit(bytes)
            case .opened: didOpen()
            case .received(let bytes): tell(.received(bytes))
            case .receivedVehicleData(let data): tell(.receivedVehicleData(data))
            case .sent(let id): sends.removeValue(forKey: id)?.fulfil()
            case .failedToSend(let id, let error): sends.removeValue(forKey: id)?.fail(error)
            case .failedToReceive(let error): tell(.failedToReceive(error))
            case .close(let error): close(because: error)
            }
        }
        arm()
    }

    private func handle(_ event: GeotabDevice.Event) {
        guard case .device(var device) = machine else { return }
        let actions = device.handle(event, at: now)
        machine = .device(device)
        for action in actions {
            switch action {
            case .transmit(let bytes): transmit(bytes)
            case .connected(let deviceID, let flags):
                tell(.connected(deviceID: deviceID, flags))
                didOpen()
            case .received(let bytes):
                // Whoever sent what nobody takes is not told that it was of use.
                guard tell(.received(bytes)) else { break }
                handle(.send(GeotabDevice.result(of: true)))
            case .failedToReceive(let error): tell(.failedToReceive(error))
            case .close(let error): close(because: error)
            }
        }
        arm()
    }

    private func didOpen() {
        opening?.fulfil()
        opening = nil
    }

    private func close(because error: SocketError) {
        finish(error)
        socket.executor.task(of: socket) { await $0.close() }
    }

    /// Is closed: what was not sent fails, and nothing more is told.
    private func finish(_ error: SocketError?) {
        guard !tasks.isEmpty else { return }
        tasks = []
        let unsent = error ?? SocketError(.notConnected, "the socket was closed")
        switch machine {
        case .addOn: handle(GeotabAddOn.Event.closed)
        case .device: handle(GeotabDevice.Event.closed)
        }
        for promise in sends.values { promise.fail(unsent) }
        sends = [:]
        transmissions?.finish()
        transmissions = nil
        opening?.fail(unsent)
        opening = nil
        eventQueue.finish(error)
    }

    private func arm() {
        let next = machine.deadline
        guard deadline?.time != next else { return }
        deadline?.timer.cancel()
        deadline = next.map { next in
            let clock = socket.clock
            let timer = Deadline(after: max(next - now, .zero), on: clock, of: self) { end in
                end.deadline = nil
                switch end.machine {
                case .addOn: end.handle(GeotabAddOn.Event.time)
                case .device: end.handle(GeotabDevice.Event.time)
                }
            }
            return (next, timer)
        }
    }
}
