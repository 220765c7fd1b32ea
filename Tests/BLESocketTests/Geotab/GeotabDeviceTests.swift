import Testing

@testable import BLESocket

@Suite("A device of the Geotab protocol")
struct GeotabDeviceTests {
    private var device = GeotabDevice()

    @Test mutating func `listens for 72 s, pauses for 5 s, and gives an add-on 2 s`() {
        #expect(kinds(.opened, at: 0).isEmpty)
        #expect(device.deadline == .seconds(72))
        #expect(kinds(.time, at: 72).isEmpty)
        #expect(device.deadline == .seconds(77))
        #expect(kinds(.received([0x55]), at: 75).isEmpty)
        #expect(kinds(.time, at: 77).isEmpty)
        #expect(kinds(.received([0x55]), at: 78) == ["0x01"])
        #expect(device.deadline == .seconds(80))
        #expect(kinds(.received([0x55]), at: 79).isEmpty)
        #expect(kinds(.time, at: 80).isEmpty)
        #expect(device.deadline == .seconds(85))
    }

    /// From the opening on, and anew from a restart.
    @Test mutating func `closes when no add-on shakes hands in time`() {
        var configuration = GeotabDevice.Configuration()
        configuration.handshakeLimit = .seconds(4)
        device = GeotabDevice(configuration)
        _ = device.handle(.opened, at: .zero)
        #expect(device.deadline == .seconds(4))
        // One that asks for a handshake has not shaken hands.
        #expect(kinds(.received([0x55]), at: 3) == ["0x01"])
        #expect(device.deadline == .seconds(4))
        #expect(kinds(.time, at: 4) == ["close timedOut"])
        #expect(device.deadline == nil)

        connect(at: 10)
        #expect(device.deadline == .seconds(11))
        #expect(kinds(.restart, at: 20) == ["0x01"])
        #expect(kinds(.time, at: 22).isEmpty)
        #expect(device.deadline == .seconds(24))
        #expect(kinds(.time, at: 24) == ["close timedOut"])
    }

    @Test mutating func `waits for ever for an add-on, as a GO9, if it is to`() {
        var configuration = GeotabDevice.Configuration()
        configuration.handshakeLimit = nil
        device = GeotabDevice(configuration)
        _ = device.handle(.opened, at: .zero)
        for second in stride(from: 0, to: 77_000, by: 77) {
            #expect(device.deadline == .seconds(second + 72))
            #expect(kinds(.time, at: second + 72).isEmpty)
            #expect(kinds(.time, at: second + 77).isEmpty)
        }
    }

    @Test mutating func `drops an add-on that acknowledges no vehicle data for 30 s`() {
        connect(at: 0)
        for second in 1...30 { #expect(kinds(.time, at: second) == ["0x21"]) }
        #expect(kinds(.time, at: 31) == ["close timedOut"])
        #expect(device.deadline == nil)
    }

    @Test mutating func `goes on with one that does`() {
        connect(at: 0)
        for second in 1...100 {
            #expect(kinds(.time, at: second) == ["0x21"])
            let acknowledgement = GeotabFrame(.vehicleDataAcknowledgement, checked: [])
            #expect(kinds(.received(acknowledgement.bytes), at: second).isEmpty)
        }
    }

    @Test mutating func `tells of its vehicle once no bytes wait for the radio any more`() {
        connect(at: 0)
        #expect(kinds(.changeWaiting(true), at: 0).isEmpty)
        #expect(device.deadline == nil)
        #expect(kinds(.time, at: 5).isEmpty)
        #expect(kinds(.changeWaiting(false), at: 5).isEmpty)
        #expect(device.deadline == .seconds(1))
        // What was due five times is told once.
        #expect(kinds(.time, at: 5) == ["0x21"])
        #expect(device.deadline == .seconds(6))
    }

    @Test mutating func `asks anew after a restart`() {
        connect(at: 0)
        #expect(kinds(.restart, at: 3) == ["0x01"])
        #expect(!device.isConnected)
        #expect(device.deadline == .seconds(5))
    }

    @Test mutating func `acknowledges only an add-on that asks for it`() {
        _ = device.handle(.opened, at: .zero)
        _ = device.handle(.received([0x55]), at: .zero)
        let confirmation = GeotabFrame(.handshakeConfirmation, checked: [0x0C, 0x10, 0, 0])
        #expect(kinds(.received(confirmation.bytes), at: 0) == ["connected 4108 0"])
    }

    @Test mutating func `reports a confirmation that is too short`() {
        _ = device.handle(.opened, at: .zero)
        _ = device.handle(.received([0x55]), at: .zero)
        let confirmation = GeotabFrame(.handshakeConfirmation, checked: [0x0C, 0x10, 0])
        #expect(kinds(.received(confirmation.bytes), at: 0) == ["malformedData"])
    }

    private mutating func connect(at seconds: Int) {
        _ = device.handle(.opened, at: .seconds(seconds))
        _ = device.handle(.received([0x55]), at: .seconds(seconds))
        let confirmation = GeotabFrame(.handshakeConfirmation, checked: [0x5F, 0x10, 1, 0])
        #expect(kinds(.received(confirmation.bytes), at: seconds) == ["0x02", "connected 4191 1"])
    }

    private mutating func kinds(_ event: GeotabDevice.Event, at seconds: Int) -> [String] {
        device.handle(event, at: .seconds(seconds)).map { action in
            switch action {
            case .transmit(let bytes): "\(GeotabFrame.Kind(rawValue: bytes[1]))"
            case .connected(let deviceID, let flags): "connected \(deviceID) \(flags.rawValue)"
            case .received(let bytes): "received \(bytes)"
            case .failedToReceive(let error): "\(error.code)"
            case .close(let error): "close \(error.code)"
            }
        }
    }
}
