import BLE
import BLETesting
import Testing

@testable import BLESocket

@Suite("A socket that listens")
struct ListeningSocketTests {
    private static let central = PeerID(rawValue: "A")
    private static let other = PeerID(rawValue: "B")

    private var socket = ListeningSocket()

    @Test mutating func `publishes, advertises, and is open with the first subscription`() {
        #expect(socket.names(.open) == [])
        #expect(socket.names(.radioBecame(.on)) == ["publish"])
        #expect(socket.names(.open) == [])
        #expect(socket.names(.published) == ["advertise"])
        #expect(socket.names(.advertised) == [])
        #expect(socket.names(.connected(Self.central)) == [])
        #expect(socket.names(.subscribed(.raw, Self.central)) == ["stopAdvertising", "open A"])
        #expect(socket.isOpen)
        #expect(socket.deadline == nil)
        #expect(socket.names(.received([1], .raw, from: Self.central)) == ["received [1]"])
    }

    @Test mutating func `waits for no radio that was closed for good`() {
        _ = socket.names(.open)
        #expect(socket.names(.radioBecame(.absent)) == [])
        #expect(socket.names(.radioClosed) == ["lost bluetoothAbsent"])
        #expect(socket.isIdle)
        #expect(socket.names(.radioClosed) == [])
        connect(.stream)
        socket.resumes = true
        _ = socket.names(.radioBecame(.absent))
        #expect(socket.names(.radioClosed) == ["lost bluetoothAbsent"])
    }

    @Test mutating func `waits for the radio within its limit`() {
        #expect(socket.names(.open) == [])
        #expect(socket.deadline == .seconds(30))
        #expect(socket.names(.radioBecame(.off)) == [])
        #expect(socket.names(.radioBecame(.on)) == ["publish"])
        var late = ListeningSocket()
        _ = late.names(.open)
        #expect(late.names(.time, at: 30) == ["lost bluetoothOff"])
        #expect(late.isIdle)
        var patient = ListeningSocket(openLimit: nil)
        _ = patient.names(.open)
        #expect(patient.deadline == nil)
    }

    @Test mutating func `is advertised anew each 3 s, but not while a central is connected`() {
        listen()
        #expect(socket.deadline == .seconds(3))
        #expect(socket.names(.time, at: 3) == ["stopAdvertising", "advertise"])
        #expect(socket.names(.advertised, at: 4) == [])
        #expect(socket.deadline == .seconds(7))
        _ = socket.names(.connected(Self.central), at: 5)
        #expect(socket.names(.time, at: 7) == [])
        #expect(socket.deadline == .seconds(10))
        _ = socket.names(.disconnected(Self.central), at: 8)
        #expect(socket.names(.time, at: 10) == ["stopAdvertising", "advertise"])
    }

    @Test(
        arguments: [
            .unsubscribed(.raw, central), .unsubscribed(.raw, nil), .disconnected(central),
        ] as [ListeningSocket.Event]
    )
    mutating func `is closed when its central leaves`(event: ListeningSocket.Event) {
        connect()
        #expect(socket.names(event) == ["stopAdvertising", "withdraw", "lost lostConnection"])
        #expect(socket.isIdle)
        #expect(socket.names(.disconnected(Self.central)) == [])
        // The radio is looked at anew.
        #expect(socket.names(.open) == [])
        #expect(socket.names(.radioBecame(.on)) == ["publish"])
    }

    /// A service that goes while its central unsubscribes may cost the central's bluetoothd its life.
    @Test mutating func `goes when the central has left, where both ends have all`() {
        connect(.stream)
        #expect(socket.names(.finish) == [])
        #expect(socket.deadline == .seconds(3))
        #expect(!socket.isOpen && !socket.isIdle)
        #expect(socket.names(.finish) == [])
        #expect(socket.names(.received([1], .stream, from: Self.central)) == [])
        #expect(socket.names(.unsubscribed(.stream, nil), at: 1) == [])
        #expect(socket.deadline == .milliseconds(1_250))
        #expect(socket.names(.disconnected(Self.central), at: 1) == Self.closing)
        #expect(socket.isIdle)
        #expect(socket.names(.finish) == [])
    }

    @Test(
        arguments: [
            .time, .close, .radioBecame(.off), .ended(RadioError(.off, "off")),
        ] as [ListeningSocket.Event]
    )
    mutating func `goes when the central does not leave, or something else ends it`(
        event: ListeningSocket.Event
    ) {
        connect(.stream)
        _ = socket.names(.finish)
        #expect(socket.names(event, at: 3) == Self.closing)
        #expect(socket.isIdle)
    }

    @Test mutating func `goes at once where nobody is connected`() {
        listen()
        #expect(socket.names(.finish) == Self.closing)
    }

    private static let closing = ["stopAdvertising", "withdraw", "closed"]

    @Test mutating func `takes nothing of another central, and lets none listen`() {
        connect()
        _ = socket.names(.connected(Self.other))
        #expect(socket.names(.received([1], .raw, from: Self.other)) == [])
        #expect(socket.names(.subscribed(.raw, Self.other)) == ["disconnect B"])
        #expect(socket.names(.unsubscribed(.raw, Self.other)) == [])
        #expect(socket.names(.disconnected(Self.other)) == [])
        #expect(socket.isOpen)
    }

    @Test
    mutating func `knows the central that is alone, where the system does not say who subscribed`()
    {
        listen()
        _ = socket.names(.connected(Self.central))
        #expect(socket.names(.subscribed(.raw, nil)) == ["stopAdvertising", "open A"])
    }

    @Test mutating func `takes who writes first for its central, where nothing else tells`() {
        listen()
        _ = socket.names(.connected(Self.central))
        _ = socket.names(.connected(Self.other))
        #expect(socket.names(.subscribed(.raw, nil)) == ["stopAdvertising", "open -"])
        #expect(socket.names(.disconnected(Self.other)) == [])
        _ = socket.names(.connected(Self.other))
        #expect(socket.names(.received([1], .raw, from: Self.central)) == ["received [1]"])
        #expect(socket.names(.received([2], .raw, from: Self.other)) == [])
        #expect(socket.names(.disconnected(Self.central)).last == "lost lostConnection")
    }

    @Test(arguments: 0...3)
    mutating func `is closed once when the radio goes off, whenever that is`(stage: Int) {
        let events: [ListeningSocket.Event] = [
            .published, .advertised, .subscribed(.raw, Self.central),
        ]
        _ = socket.names(.open)
        _ = socket.names(.radioBecame(.on))
        for event in events.prefix(stage) { _ = socket.names(event) }
        #expect(
            socket.names(.radioBecame(.off)) == [
                "stopAdvertising", "withdraw", "lost bluetoothOff",
            ]
        )
        #expect(socket.names(.radioBecame(.absent)) == [])
        #expect(socket.names(.published) == [])
        #expect(socket.names(.advertised) == [])
        #expect(socket.isIdle)
    }

    @Test mutating func `is closed on request, and reports that`() {
        #expect(socket.names(.close) == [])
        connect()
        #expect(socket.names(.close) == ["stopAdvertising", "withdraw", "closed"])
        #expect(socket.names(.close) == [])
        _ = socket.names(.open)
        #expect(socket.names(.close) == ["closed"])
    }

    @Test mutating func `fails with the system`() {
        _ = socket.names(.open)
        _ = socket.names(.radioBecame(.on))
        #expect(
            socket.names(.failed(RadioError(.limitReached, "no room")))
                == ["stopAdvertising", "withdraw", "lost lostConnection"]
        )
        connect()
    }

    /// What the system ends is not taken for an end that the other one has made.
    @Test(
        arguments: [
            (.noService, "lost bluetoothOff"), (.absent, "lost bluetoothOff"),
            (.overflow, "lost full"), (.failed, "lost notPermitted"),
        ] as [(RadioError.Code, String)]
    )
    mutating func `says what has ended it`(code: RadioError.Code, end: String) {
        connect()
        #expect(socket.names(.ended(RadioError(code, "gone"))).last == end)
    }

    private static let ends: [(ListeningSocket.Event, String)] = [
        (.time, "lost lostConnection"), (.radioBecame(.off), "lost bluetoothOff"),
        (.radioBecame(.absent), "lost bluetoothOff"),
        (.ended(RadioError(.noService, "gone")), "lost bluetoothOff"), (.close, "closed"),
        (.finish, "closed"),
    ]

    /// bluetoothd ends links before it says that the radio is off.
    @Test(arguments: ends.indices)
    mutating func `looks whether its radio goes off, before its central has left`(index: Int) {
        let (event, end) = Self.ends[index]
        socket = ListeningSocket(stateDelay: .milliseconds(500))
        connect()
        #expect(socket.names(.disconnected(Self.central), at: 1) == [])
        #expect(socket.deadline == .milliseconds(1_500))
        #expect(socket.isLeaving)
        #expect(socket.names(.unsubscribed(.raw, Self.central), at: 1) == [])
        #expect(socket.names(.received([1], .raw, from: Self.central), at: 1) == [])
        #expect(socket.names(.time, at: 1) == [])
        #expect(socket.names(event, at: 2) == ["stopAdvertising", "withdraw", end])
        #expect(socket.isIdle)
    }

    @Test mutating func `opens again when its radio did not go off`() {
        socket = ListeningSocket(stateDelay: .milliseconds(500))
        socket.reconnects = true
        connect()
        _ = socket.names(.disconnected(Self.central))
        #expect(
            socket.names(.time, at: 1)
                == ["stopAdvertising", "withdraw", "lost lostConnection", "publish"]
        )
    }

    @Test mutating func `goes on after a loss where a stream is resumed`() {
        connect(.stream)
        socket.resumes = true
        #expect(
            socket.names(.unsubscribed(.stream, Self.central)) == [
                "waits lostConnection", "advertise",
            ]
        )
        _ = socket.names(.advertised)
        // An original could make nothing of the rest.
        #expect(socket.names(.subscribed(.raw, Self.other)) == ["disconnect B"])
        #expect(
            socket.names(.subscribed(.stream, Self.other)) == ["stopAdvertising", "open stream B"]
        )
        #expect(
            socket.names(.radioBecame(.off)) == [
                "stopAdvertising", "withdraw", "waits bluetoothOff",
            ]
        )
        #expect(socket.names(.radioBecame(.on)) == ["publish"])
        let error = RadioError(.limitReached, "no room")
        #expect(socket.names(.failed(error), at: 1) == ["stopAdvertising", "withdraw"])
        #expect(socket.deadline == .seconds(2))
        #expect(socket.names(.time, at: 2) == ["publish"])
        #expect(socket.names(.close) == ["stopAdvertising", "withdraw", "closed"])
        connect(.stream)
        #expect(socket.names(.unsubscribed(.stream, Self.central)).last == "lost lostConnection")
    }

    @Test mutating func `gives a central up, whoever it is`() {
        connect(.stream)
        socket.resumes = true
        #expect(socket.names(.drop) == ["disconnect A"])
        _ = socket.names(.disconnected(Self.central))
        #expect(socket.names(.drop) == [])
        #expect(socket.names(.subscribed(.stream, nil)) == ["stopAdvertising", "open stream -"])
        #expect(socket.names(.drop) == ["stopAdvertising", "withdraw", "waits lostConnection"])
    }

    @Test mutating func `takes nothing of the other transport`() {
        connect(.stream)
        #expect(socket.names(.received([1], .raw, from: Self.central)) == [])
        #expect(socket.names(.unsubscribed(.raw, Self.central)) == [])
        #expect(socket.names(.received([1], .stream, from: Self.central)) == ["received [1]"])
    }

    @Test mutating func `opens again after a loss where it was told to`() {
        socket.reconnects = true
        connect()
        #expect(
            socket.names(.unsubscribed(.raw, Self.central))
                == ["stopAdvertising", "withdraw", "lost lostConnection", "publish"]
        )
        #expect(socket.names(.close) == ["stopAdvertising", "withdraw", "closed"])
    }

    /// Also when the other end was waited for in vain.
    @Test mutating func `opens again after a stream where it was told to`() {
        socket.reconnects = true
        connect(.stream)
        #expect(socket.names(.finish) == [])
        #expect(socket.names(.disconnected(Self.central)) == Self.closing + ["publish"])
        for end in [ListeningSocket.Event.finish, .giveUp] {
            _ = socket.names(.published)
            #expect(socket.names(end) == Self.closing + ["publish"])
        }
        #expect(socket.names(.close) == Self.closing)
    }

    /// Whatever comes, each opening has at most one end, and nothing is published twice at once.
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `has one end each time`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var socket = ListeningSocket(stateDelay: seed % 5 == 0 ? .seconds(2) : .zero)
        socket.reconnects = seed % 2 == 0
        var isOpening = false
        var isPublished = false
        let peers = [Self.central, Self.other, nil]
        for step in 0..<300 {
            let peer = peers.randomElement(using: &random) ?? nil
            let event: ListeningSocket.Event
            switch Int.random(in: 0..<16, using: &random) {
            case 0, 1: event = .open
            case 2: event = Int.random(in: 0..<4, using: &random) == 0 ? .close : .time
            case 3, 4: event = .radioBecame(.on)
            case 5: event = .radioBecame([.off, .absent].randomElement(using: &random) ?? .off)
            case 6, 7: event = .published
            case 8: event = .advertised
            case 9: event = .connected(peer ?? Self.other)
            case 10: event = .disconnected(peer ?? Self.central)
            case 11: event = .subscribed(.raw, peer)
            case 12: event = .unsubscribed(.raw, peer)
            case 13: event = .finish
            case 14: event = .giveUp
            default: event = .received([1], .raw, from: peer)
            }
            if case .open = event, socket.isIdle { isOpening = true }
            socket.resumes = !socket.isIdle && seed % 3 == 0 && step % 60 > 30
            for action in socket.handle(event, at: .seconds(step)) {
                switch action {
                case .publish:
                    #expect(!isPublished)
                    isPublished = true
                case .withdraw: isPublished = false
                case .didClose, .didCloseUnexpectedly:
                    #expect(isOpening)
                    isOpening = seed % 2 == 0 && !socket.isIdle
                case .didOpen, .didReceive, .didLose: #expect(isOpening)
                case .advertise, .stopAdvertising, .disconnect: break
                }
            }
            #expect(isOpening == !socket.isIdle)
            #expect(!isPublished || isOpening)
        }
    }

    private mutating func listen() {
        _ = socket.names(.open)
        _ = socket.names(.radioBecame(.on))
        _ = socket.names(.published)
        _ = socket.names(.advertised)
    }

    private mutating func connect(_ transport: SocketTransport = .raw) {
        listen()
        _ = socket.names(.connected(Self.central))
        _ = socket.names(.subscribed(transport, Self.central))
    }
}

extension ListeningSocket {
    fileprivate mutating func names(_ event: Event, at seconds: Int = 0) -> [String] {
        handle(event, at: .seconds(seconds)).map { action in
            switch action {
            case .publish: "publish"
            case .advertise: "advertise"
            case .stopAdvertising: "stopAdvertising"
            case .withdraw: "withdraw"
            case .disconnect(let central): "disconnect \(central.rawValue)"
            case .didOpen(.raw, let central): "open \(central?.rawValue ?? "-")"
            case .didOpen(.stream, let central): "open stream \(central?.rawValue ?? "-")"
            case .didReceive(let bytes): "received \(bytes)"
            case .didLose(let error): "waits \(error.code)"
            case .didCloseUnexpectedly(let error): "lost \(error.code)"
            case .didClose: "closed"
            }
        }
    }
}
