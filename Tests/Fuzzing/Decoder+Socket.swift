@testable import BLESocket

/// What can come to an end of a byte socket, in pieces of any size, at any time: each message ends once,
/// nothing follows the end, and what is sent fits.
@Sendable func decodeSocket(_ input: UnsafeRawBufferPointer) {
    var source = ByteSource(input)
    switch source.number(below: 6) {
    case 0: decodeAddOn(&source)
    case 1: decodeDevice(&source)
    case 2: decodeStream(StreamSession(session: 7, at: .zero), &source)
    case 3: decodeCipher(&source)
    case 4:
        var configuration = StreamConfiguration()
        configuration.isShared = true
        decodeStream(StreamSession(session: nil, configuration: configuration, at: .zero), &source)
    default: decodeStream(StreamSession(session: nil, at: .zero), &source)
    }
}

private func decodeAddOn(_ source: inout ByteSource) {
    var addOn = GeotabAddOn(.keyless)
    var messages: Set<Int> = []
    var lastMessage = 0
    var now = Duration.zero
    func carryOut(_ actions: [GeotabAddOn.Action]) {
        for action in actions {
            switch action {
            case .sent(let id), .failedToSend(let id, _):
                precondition(messages.remove(id) != nil, "a message ends twice")
            case .transmit(let bytes): precondition(!bytes.isEmpty)
            case .opened, .received, .receivedVehicleData, .failedToReceive, .close: break
            }
        }
    }
    while !source.isEmpty {
        now += .milliseconds(Int(source.byte()) * 20)
        let event: GeotabAddOn.Event
        switch source.number(below: 8) {
        case 0: event = .opened
        case 1: event = .closed
        case 2: event = .time
        case 3:
            lastMessage += 1
            messages.insert(lastMessage)
            event = .send(lastMessage, source.text())
        case 4: event = .cancel(source.number(below: 4))
        case 5: event = .received(frame(&source).bytes)
        default: event = .received(source.text())
        }
        carryOut(addOn.handle(event, at: now))
    }
    carryOut(addOn.handle(.closed, at: now))
    precondition(messages.isEmpty, "nobody says what came of a message")
    precondition(addOn.deadline == nil)
    // Nothing that came before stands in the way of a new beginning.
    carryOut(addOn.handle(.opened, at: now))
    let request = GeotabFrame(.handshakeRequest, checked: [])
    let acknowledgement = GeotabFrame(.acknowledgement, checked: [])
    carryOut(addOn.handle(.received(request.bytes + acknowledgement.bytes), at: now))
    precondition(addOn.isConnected)
}

private func decodeDevice(_ source: inout ByteSource) {
    var configuration = GeotabDevice.Configuration()
    let faults: [GeotabDevice.Fault?] = [nil] + GeotabDevice.Fault.allCases.map(Optional.some)
    configuration.fault = source.element(of: faults)
    var device = GeotabDevice(configuration)
    var now = Duration.zero
    var isClosed = true
    func carryOut(_ actions: [GeotabDevice.Action]) {
        for action in actions {
            precondition(!isClosed, "\(action) after the end")
            switch action {
            case .transmit(let bytes): precondition(!bytes.isEmpty)
            case .close: isClosed = true
            case .connected, .received, .failedToReceive: break
            }
        }
    }
    while !source.isEmpty {
        now += .milliseconds(Int(source.byte()) * 20)
        let event: GeotabDevice.Event
        switch source.number(below: 12) {
        case 0:
            event = .opened
            isClosed = false
        case 1: event = .closed
        case 2: event = .time
        case 3: event = .restart
        case 4: event = .received([GeotabFrame.sync])
        case 5: event = .received(frame(&source).bytes)
        case 6: event = .send(frame(&source))
        case 7: event = .changeWaiting(source.byte() % 2 == 1)
        case 8:
            var data = VehicleData()
            data.seconds = UInt32(source.byte())
            event = .changeVehicleData(data)
        case 9: event = .send(GeotabDevice.result(of: source.byte() % 2 == 1))
        default: event = .received(source.text())
        }
        carryOut(device.handle(event, at: now))
        if event == .closed { isClosed = true }
        if isClosed { precondition(device.deadline == nil && !device.isConnected) }
    }
    carryOut(device.handle(.closed, at: now))
    precondition(device.deadline == nil)
    // Nothing that came before stands in the way of a new beginning.
    isClosed = false
    let confirmation = GeotabFrame(.handshakeConfirmation, checked: [0x5F, 0x10, 1, 0])
    carryOut(device.handle(.opened, at: now))
    carryOut(device.handle(.received([GeotabFrame.sync]), at: now))
    carryOut(device.handle(.received(confirmation.bytes), at: now))
    precondition(device.isConnected)
}

private func frame(_ source: inout ByteSource) -> GeotabFrame {
    let kind = source.element(
        of: [
            .handshakeRequest, .acknowledgement, .vehicleData, .result, .extendedData,
            .handshakeConfirmation, .vehicleDataAcknowledgement, .applicationData,
        ] as [GeotabFrame.Kind]
    )
    return GeotabFrame(kind, checked: source.text())
}

private func decodeStream(_ session: StreamSession, _ source: inout ByteSource) {
    var session = session
    var now = Duration.zero
    var hasEnded = false
    while !source.isEmpty {
        now += .milliseconds(Int(source.byte()) * 20)
        let event: StreamSession.Event
        switch source.number(below: 16) {
        case 0, 1: event = .linked
        case 2: event = .unlinked
        case 3: event = .finish
        case 4: event = .consumed(Int(source.byte()) * 16)
        case 5: event = source.byte() == 0 ? .close : .time
        case 6: event = .time
        case 7:
            let label = StreamLabel(session: UInt64(source.number(below: 9)))
            event = .received(label.added(to: streamFrame(&source)))
        default: event = .received(streamFrame(&source))
        }
        _ = session.write(source.text())
        for action in session.handle(event, at: now) {
            precondition(!hasEnded, "\(action) after the end")
            if case .close = action { hasEnded = true }
        }
        precondition(hasEnded == session.isClosed)
        while let frame = session.nextFrame(upTo: 60, at: now) {
            precondition((1...60).contains(frame.count), "a frame of \(frame.count) bytes")
            let bare = StreamLabel.remove(from: frame)?.1 ?? frame
            precondition(StreamFrame(bare) != nil, "no frame: \(frame)")
        }
    }
}

/// Two ends, between which anything may be put, left out or changed: nothing is read but what was sent, in order.
private func decodeCipher(_ source: inout ByteSource) {
    var ends = [
        StreamCipher(fuzzed.central, isCentral: true),
        StreamCipher(fuzzed.peripheral, isCentral: false),
    ]
    // Each byte of the stream is a number below 256; control messages are between 256 and 257.
    var (sent, received): ([[Int]], [[Int]]) = ([[], []], [[], []])
    func numbers(_ content: StreamCipher.Content) -> [Int] {
        switch content {
        case .bytes(let bytes): bytes.map(Int.init)
        case .control(let bytes): [256] + bytes.map(Int.init) + [257]
        }
    }
    var underway = [ends[0].greeting, []]
    var isOver = false
    while !source.isEmpty, !isOver {
        let (from, byte) = (source.number(below: 2), source.byte())
        switch byte % 8 {
        case 0: underway[from] += source.text()
        case 1 where !underway[from].isEmpty:
            underway[from][Int(byte) % underway[from].count] ^= 1 << (byte % 7)
        case 2, 3:
            let bytes = source.text()
            let content: StreamCipher.Content = byte % 16 < 8 ? .bytes(bytes) : .control(bytes)
            guard ends[from].isOpen, !bytes.isEmpty, let record = ends[from].seal(content) else {
                continue
            }
            sent[from] += numbers(content)
            underway[from] += record
        default:
            let piece = Array(underway[from].prefix(Int(byte)))
            underway[from].removeFirst(piece.count)
            do {
                let result = try ends[1 - from].receive(piece)
                received[1 - from] += result.contents.flatMap(numbers)
                underway[1 - from] += result.reply
            } catch {
                isOver = true
            }
        }
    }
    for end in 0...1 {
        precondition(sent[1 - end].starts(with: received[end]), "what was read was never sent")
        precondition(ends[end].pendingByteCount <= 65_537)
    }
}

/// Who the ends are, made once: that takes longer than all else.
private let fuzzed = (
    central: SocketEncryption(identity: SocketIdentity()),
    peripheral: SocketEncryption(identity: SocketIdentity())
)

/// One that the other end may have meant, or any bytes.
private func streamFrame(_ source: inout ByteSource) -> [UInt8] {
    func number() -> UInt32 {
        source.element(of: [0, 1, UInt32(source.byte()), 16_384, .max, .max - 1])
    }
    switch source.number(below: 8) {
    case 0:
        let hello = StreamFrame.Hello(
            session: source.byte() < 250 ? 7 : 8,
            received: number(),
            limit: number(),
            isKnown: source.byte() % 2 == 1
        )
        return StreamFrame.hello(hello).bytes
    case 1, 2: return StreamFrame.data(offset: number(), source.text()).bytes
    case 3, 4:
        var acknowledgement = StreamFrame.Acknowledgement(received: number(), limit: number())
        for _ in 0..<source.number(below: 4) {
            acknowledgement.pieces.append(.init(offset: number(), byteCount: number()))
        }
        acknowledgement.wantsReply = source.byte() % 2 == 1
        return StreamFrame.acknowledgement(acknowledgement).bytes
    case 5: return StreamFrame.end(offset: number()).bytes
    case 6: return StreamFrame.reset(StreamReset(rawValue: source.byte() % 8)).bytes
    default: return source.text()
    }
}
