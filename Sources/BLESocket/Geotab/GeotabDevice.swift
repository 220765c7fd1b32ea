internal import BLE

/// The device's end of the Geotab protocol, with the times of a GO9: events go in, actions come out.
///
/// | state | sends | goes on with |
/// |---|---|---|
/// | listening, 72 s | – | 55: it asks who is there |
/// | pausing, 5 s | – | listening |
/// | asking, 2 s | a handshake request | a confirmation; without one it pauses |
/// | any of these for 90 s | – | it closes |
/// | connected | vehicle data each second, a result for each message | no acknowledgement of vehicle data for 30 s: it closes |
///
/// Vehicle data that are due while bytes wait for the radio are told once none wait, as they are then.
///
/// Time is a duration since any moment that does not change.
public struct GeotabDevice: Sendable {
    /// What it does when.
    public struct Configuration: Sendable {
        /// How long it waits for an add-on.
        public var listening: Duration = .seconds(72)
        /// How long it pauses when none came.
        public var pause: Duration = .seconds(5)
        /// How long an add-on may take to say who it is.
        public var confirmationLimit: Duration = .seconds(2)
        /// How long an add-on may take from the opening, or from a restart, to the end of the handshake; `nil` for ever, as a GO9.
        ///
        /// Then it closes.
        public var handshakeLimit: Duration? = .seconds(90)
        /// How often it tells of its vehicle; `nil` for never.
        public var vehicleDataInterval: Duration? = .seconds(1)
        /// How long an add-on may leave vehicle data without an acknowledgement.
        public var acknowledgementLimit: Duration = .seconds(30)
        /// How long the rest of a frame may take.
        public var frameLimit: Duration = .seconds(5)
        /// How many bytes a message may have, of either end; from 40 to 65,535.
        ///
        /// It is to be the same at both ends. The greater it is, the more of what follows garbage can hide that seems to begin a
        /// message.
        public var maximumMessageByteCount = 8_192
        /// What it does wrong; `nil` for nothing.
        public var fault: Fault?

        /// Creates the configuration of a GO9.
        public init() {}
    }

    /// What happened.
    public enum Event: Hashable, Sendable {
        /// The socket is open.
        case opened
        /// Bytes came.
        case received([UInt8])
        /// Data are to be sent.
        case send(GeotabFrame)
        /// What is told of the vehicle from now on.
        case changeVehicleData(VehicleData)
        /// It asks the add-on anew, as after a restart.
        case restart
        /// Bytes wait for the radio from now on, or none do any more.
        case changeWaiting(Bool)
        /// The socket is closed, or is to be.
        case closed
        /// The time of ``deadline`` has come.
        case time
    }

    /// What is to be done.
    public enum Action: Sendable {
        /// Sends bytes over the socket, after those before.
        case transmit([UInt8])
        /// Reports that an add-on has said who it is.
        case connected(deviceID: UInt16, GeotabAddOn.Configuration.Flags)
        /// Reports a message. The next action is to be ``transmit(_:)`` with its result, see
        /// ``GeotabDevice/result(of:)``.
        case received([UInt8])
        /// Reports that something came that is not the protocol's.
        case failedToReceive(SocketError)
        /// Closes the socket, and reports why.
        case close(SocketError)
    }

    private enum State {
        case closed
        case listening(until: Duration)
        case pausing(until: Duration)
        case asking(until: Duration)
        case connected
    }

    private let configuration: Configuration
    private var state = State.closed
    /// When an add-on has to have said who it is; `nil` for never, and when it has.
    private var handshakeDeadline: Duration?
    private var reader: GeotabFrameReader
    private var vehicleData = VehicleData()
    private var nextVehicleData: Duration?
    /// Whether bytes wait for the radio.
    private var isWaiting = false
    /// Since when vehicle data have had no acknowledgement.
    private var unacknowledged: Duration?
    /// How many frames there were to send, and what waits for the next one, of a device that does something wrong.
    var sentCount = 0
    var held: [UInt8] = []

    /// Creates a device whose socket is not open.
    ///
    /// - Parameter configuration: what it does when.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
        reader = GeotabFrameReader(
            maximumBodyByteCount: configuration.maximumMessageByteCount,
            frameLimit: configuration.frameLimit
        )
    }

    /// Whether an add-on has said who it is.
    public var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// When ``Event/time`` is to come; `nil` for never.
    public var deadline: Duration? {
        let stateDeadline: Duration? =
            switch state {
            case .closed, .connected: nil
            case .listening(let time), .pausing(let time), .asking(let time): time
            }
        let drop = unacknowledged.map { $0 + configuration.acknowledgementLimit }
        let telling = isWaiting ? nil : nextVehicleData
        return .earliest(stateDeadline, handshakeDeadline, reader.deadline, telling, drop)
    }

    /// The result of a message.
    ///
    /// - Parameter isUseful: whether it could be used.
    /// - Returns: the frame to send.
    public static func result(of isUseful: Bool) -> GeotabFrame {
        GeotabFrame(.result, checked: [isUseful ? 1 : 0, 0, 0, 0])
    }

    /// The frame of a message.
    func frame(of message: [UInt8]) throws(SocketError) -> GeotabFrame {
        try GeotabFrame(.extendedData, message, upTo: configuration.maximumMessageByteCount)
    }

    /// Takes what happened.
    ///
    /// - Parameters:
    ///   - event: what happened.
    ///   - now: the time; never before that of the event before.
    /// - Returns: what is to be done, in order.
    public mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        let actions = takeEvent(event, at: now)
        guard let fault = configuration.fault else { return actions }
        return actions.flatMap { action -> [Action] in
            guard case .transmit(let bytes) = action else { return [action] }
            return sent(bytes, with: fault).map { .transmit($0) }
        }
    }

    private mutating func takeEvent(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .opened:
            guard case .closed = state else { return [] }
            state = .listening(until: now + configuration.listening)
            handshakeDeadline = configuration.handshakeLimit.map { now + $0 }
            return []
        case .received(let bytes):
            return receive(bytes, at: now)
        case .send(let frame):
            return isConnected ? [.transmit(frame.bytes)] : []
        case .changeVehicleData(let data):
            vehicleData = data
            return []
        case .restart:
            guard isConnected else { return [] }
            handshakeDeadline = configuration.handshakeLimit.map { now + $0 }
            return ask(at: now)
        case .changeWaiting(let isWaiting):
            self.isWaiting = isWaiting
            return []
        case .closed:
            close()
            return []
        case .time:
            return passTime(now)
        }
    }
}

extension GeotabDevice {
    private mutating func close() {
        state = .closed
        reader.reset()
        (sentCount, held) = (0, [])
        (handshakeDeadline, nextVehicleData, unacknowledged) = (nil, nil, nil)
        isWaiting = false
    }

    private mutating func ask(at now: Duration) -> [Action] {
        state = .asking(until: now + configuration.confirmationLimit)
        (nextVehicleData, unacknowledged) = (nil, nil)
        return [.transmit(GeotabFrame(.handshakeRequest, checked: []).bytes)]
    }

    private mutating func passTime(_ now: Duration) -> [Action] {
        var actions = handle(reader.passTime(now), at: now)
        if let unacknowledged, unacknowledged + configuration.acknowledgementLimit <= now {
            close()
            let error = SocketError(
                .timedOut,
                "the add-on left vehicle data without an acknowledgement for "
                    + "\(configuration.acknowledgementLimit.inUnits)"
            )
            return actions + [.close(error)]
        }
        if let limit = configuration.handshakeLimit, let handshakeDeadline, handshakeDeadline <= now
        {
            close()
            let error = SocketError(
                .timedOut,
                "no add-on has shaken hands within \(limit.inUnits)"
            )
            return actions + [.close(error)]
        }
        if !isWaiting, let next = nextVehicleData, next <= now {
            actions += tellVehicleData(at: now)
        }
        switch state {
        case .listening(let time) where time <= now, .asking(let time) where time <= now:
            state = .pausing(until: now + configuration.pause)
        case .pausing(let time) where time <= now:
            state = .listening(until: now + configuration.listening)
        case .closed, .listening, .pausing, .asking, .connected:
            break
        }
        return actions
    }

    private mutating func tellVehicleData(at now: Duration) -> [Action] {
        guard let interval = configuration.vehicleDataInterval else { return [] }
        nextVehicleData = now + interval
        unacknowledged = unacknowledged ?? now
        return [.transmit(GeotabFrame(.vehicleData, checked: vehicleData.bytes).bytes)]
    }

    private mutating func receive(_ bytes: [UInt8], at now: Duration) -> [Action] {
        if case .closed = state { return [] }
        return handle(reader.read(bytes, at: now), at: now)
    }

    private mutating func handle(_ events: [GeotabFrameReader.Event], at now: Duration) -> [Action]
    {
        events.flatMap { event -> [Action] in
            switch event {
            case .sync:
                if case .listening = state { ask(at: now) } else { [] }
            case .frame(let frame):
                handle(frame, at: now)
            case .malformed(let reason, let byteCount):
                [.failedToReceive(SocketError(reason, byteCount))]
            }
        }
    }

    private mutating func handle(_ frame: GeotabFrame, at now: Duration) -> [Action] {
        switch (frame.kind, state) {
        case (.handshakeConfirmation, .asking):
            return connect(frame, at: now)
        case (.vehicleDataAcknowledgement, .connected):
            unacknowledged = nil
            return []
        case (.applicationData, .connected):
            return [.received(frame.body)]
        case (_, .closed), (_, .listening), (_, .pausing), (_, .asking), (_, .connected):
            return []
        }
    }

    private mutating func connect(_ frame: GeotabFrame, at now: Duration) -> [Action] {
        var reader = NumberReader(frame.body[...])
        guard frame.body.count == 4, let deviceID: UInt16 = reader.next(),
            let bits: UInt16 = reader.next()
        else { return [.failedToReceive(SocketError(misshapen: frame))] }
        state = .connected
        handshakeDeadline = nil
        let flags = GeotabAddOn.Configuration.Flags(rawValue: bits)
        var actions: [Action] = []
        if flags.contains(.acknowledge) {
            actions.append(.transmit(GeotabFrame(.acknowledgement, checked: []).bytes))
        }
        nextVehicleData = configuration.vehicleDataInterval.map { now + $0 }
        return actions + [.connected(deviceID: deviceID, flags)]
    }
}
