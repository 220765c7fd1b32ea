import BLETesting

@testable import BLESocket

/// An add-on, a device, and what is on its way between them.
struct SimulatedGeotabLink {
    /// Whether bytes are lost or added, and the device restarts.
    var isNoisy = false {
        didSet { wasNoisy = wasNoisy || isNoisy }
    }
    /// What the add-on was told to be sent, and what the device said to be of use, in order.
    private var sent: [[UInt8]] = []
    private var accepted: [[UInt8]] = []
    private var sentByDevice: [[UInt8]] = []
    private var receivedByAddOn: [[UInt8]] = []
    private(set) var faults: [String] = []

    /// Whether what is on its way may be another's rest.
    private var wasNoisy = false
    private var random: SeededGenerator
    private var now = Duration.zero
    private var addOn = GeotabAddOn(.keyless)
    private var device: GeotabDevice
    private var toAddOn: [UInt8] = []
    private var toDevice: [UInt8] = []
    /// Since when something is on its way.
    private var departure = (toAddOn: Duration.zero, toDevice: Duration.zero)
    private var messages: [Int: [UInt8]] = [:]
    private var lastID = 0
    private var isOpen = false

    var sentCount: Int { sent.count }
    var hasAcceptedWhatWasSent: Bool { accepted == sent }
    var hasReceivedWhatDeviceSent: Bool { receivedByAddOn == sentByDevice }

    init(seed: UInt64, _ fault: GeotabDevice.Fault? = nil) {
        random = SeededGenerator(seed: seed)
        var configuration = GeotabDevice.Configuration()
        configuration.fault = fault
        device = GeotabDevice(configuration)
        wasNoisy = fault != nil
        open()
    }

    /// Says who is there, shakes hands and sends a message each way, and ends the connection after so many bytes.
    ///
    /// - Returns: whether there were so many.
    mutating func play(byteCount: Int) -> Bool {
        var hasSent = false
        for _ in 0..<byteCount {
            if addOn.isConnected, device.isConnected, !hasSent {
                hasSent = true
                send()
                sendFromDevice()
            }
            if !toAddOn.isEmpty {
                deliverToAddOn(1)
            } else if !toDevice.isEmpty {
                deliverToDevice(1)
            } else if hasSent, messages.isEmpty {
                return false
            } else {
                passTime()
            }
        }
        // What is cut off may be missed.
        wasNoisy = true
        close()
        return true
    }

    mutating func play(steps: Int) {
        for _ in 0..<steps { step() }
    }

    /// All arrives, time passes, and nothing is under way any more.
    mutating func settle() {
        var patience = 5_000
        repeat {
            patience -= 1
            if !toAddOn.isEmpty {
                deliverToAddOn(toAddOn.count)
            } else if !toDevice.isEmpty {
                deliverToDevice(toDevice.count)
            } else if isOpen, !messages.isEmpty {
                passTime()
            } else {
                return
            }
        } while patience > 0
        faults.append("it does not come to an end: \(messages.keys.sorted())")
    }

    /// Ends the connection, and makes another one until both know each other.
    mutating func reconnect() {
        close()
        open()
        var patience = 1_000
        while !addOn.isConnected || !device.isConnected, patience > 0 {
            patience -= 1
            if !isOpen { open() }
            deliverToAddOn(toAddOn.count)
            deliverToDevice(toDevice.count)
            if toAddOn.isEmpty, toDevice.isEmpty { passTime() }
        }
        if patience == 0 { faults.append("they do not find each other") }
    }

    mutating func send() {
        lastID += 1
        let body = bytes(upTo: 400)
        messages[lastID] = body
        carryOut(addOn.handle(.send(lastID, body), at: now))
    }

    private mutating func step() {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35: deliverToAddOn(Int.random(in: 1...40, using: &random))
        case 35..<70: deliverToDevice(Int.random(in: 1...40, using: &random))
        case 70..<80: send()
        case 80..<86: sendFromDevice()
        case 86..<90: if isNoisy { disturb() }
        case 90..<92: if isNoisy { carryOut(device.handle(.restart, at: now)) }
        case 92: if isNoisy { reopen() }
        default: passTime()
        }
    }

    private mutating func open() {
        isOpen = true
        carryOut(device.handle(.opened, at: now))
        carryOut(addOn.handle(.opened, at: now))
    }

    private mutating func close() {
        isOpen = false
        (toAddOn, toDevice) = ([], [])
        carryOut(addOn.handle(.closed, at: now))
        carryOut(device.handle(.closed, at: now))
        if !messages.isEmpty { faults.append("nobody said what came of \(messages.keys.sorted())") }
        messages = [:]
    }

    private mutating func reopen() {
        close()
        open()
    }

    /// Up to the next deadline, not beyond what is on its way.
    private mutating func passTime() {
        let deadlines = [addOn.deadline, device.deadline].compactMap(\.self)
        guard let next = deadlines.min() else { return }
        // What is on its way arrives before a time limit.
        if !toAddOn.isEmpty, next - departure.toAddOn > .seconds(1) {
            return deliverToAddOn(toAddOn.count)
        }
        if !toDevice.isEmpty, next - departure.toDevice > .seconds(1) {
            return deliverToDevice(toDevice.count)
        }
        now = max(now, next)
        carryOut(addOn.handle(.time, at: now))
        carryOut(device.handle(.time, at: now))
        if !isOpen { reopen() }
    }

    private mutating func disturb() {
        let garbage = bytes(upTo: 5)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: toAddOn += garbage
        case 1: toDevice += garbage
        case 2: if !toAddOn.isEmpty { toAddOn.removeFirst() }
        default: if !toDevice.isEmpty { toDevice.removeLast() }
        }
    }

    private mutating func bytes(upTo count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
    }

    private mutating func sendFromDevice() {
        guard device.isConnected, addOn.isConnected else { return }
        let body = bytes(upTo: 300)
        sentByDevice.append(body)
        carryOut(device.handle(.send(GeotabFrame(.extendedData, checked: body)), at: now))
    }

    // MARK: - What arrives, and what follows

    private mutating func deliverToAddOn(_ count: Int) {
        let piece = Array(toAddOn.prefix(count))
        toAddOn.removeFirst(piece.count)
        carryOut(addOn.handle(.received(piece), at: now))
    }

    private mutating func deliverToDevice(_ count: Int) {
        let piece = Array(toDevice.prefix(count))
        toDevice.removeFirst(piece.count)
        carryOut(device.handle(.received(piece), at: now))
    }

    private mutating func carryOut(_ actions: [GeotabAddOn.Action]) {
        for action in actions {
            switch action {
            case .transmit(let bytes):
                if toDevice.isEmpty { departure.toDevice = now }
                toDevice += bytes
            case .received(let bytes): receivedByAddOn.append(bytes)
            case .sent(let id): finish(id, wasSent: true)
            case .failedToSend(let id, let error):
                if !wasNoisy, error.code != .full {
                    faults.append("message \(id) failed: \(error)")
                }
                finish(id, wasSent: false)
            case .failedToReceive(let error): noteMalformed(error)
            case .close: isOpen = false
            case .opened, .receivedVehicleData: break
            }
        }
    }

    private mutating func carryOut(_ actions: [GeotabDevice.Action]) {
        for action in actions {
            switch action {
            case .transmit(let bytes): transmitToAddOn(bytes)
            case .received(let bytes):
                accepted.append(bytes)
                transmitToAddOn(GeotabDevice.result(of: true).bytes)
            case .failedToReceive(let error): noteMalformed(error)
            case .close: isOpen = false
            case .connected: break
            }
        }
    }

    private mutating func finish(_ id: Int, wasSent: Bool) {
        guard let body = messages.removeValue(forKey: id) else {
            faults.append("message \(id) ended twice")
            return
        }
        if wasSent { sent.append(body) }
    }

    private mutating func transmitToAddOn(_ bytes: [UInt8]) {
        if toAddOn.isEmpty { departure.toAddOn = now }
        toAddOn += bytes
    }

    private mutating func noteMalformed(_ error: SocketError) {
        if !wasNoisy { faults.append("\(error)") }
    }
}
