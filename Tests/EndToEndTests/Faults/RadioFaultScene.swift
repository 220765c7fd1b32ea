import BLE
import BLEDBus
import BLELocking
import BlueZ
import Testing
import VirtualBlueZ

/// A central and a peripheral that get on with each other, when a fault comes.
final class RadioFaultScene: PlayedScene {
    private struct Holdings {
        var link: (any Link)?
        var publication: (any Publication)?
        var advertisements: [any Advertising] = []
        var pending: [Task<Void, Never>] = []
        var failures: [any Error] = []
        /// What another program has been given.
        var kept: [[Value]] = []
    }

    let world: any World
    let ports: PortScene
    /// What the central's program is told, and how what it has begun ends.
    let central = Chronicle()
    /// As much of the peripheral's program.
    let peripheral = Chronicle()
    /// Another program on the bus.
    let stranger: ForeignClient
    let observer: Connection
    let fault: RadioFault
    private let holdings = Locked(Holdings())

    /// How long what a fault ends may take to end, and what comes anew to come.
    static let patience = Duration.seconds(20 * WorldKind.current.slowness)

    /// Lets both begin; returns when they have done once what they do with each other.
    init(_ fault: RadioFault, in world: any World) async throws {
        self.world = world
        self.fault = fault
        observer = try await world.observer()
        stranger = try await ForeignClient.open(on: world.bus.rawValue)
        ports = try await PortScene(in: world)
        // Ends with the scene's responder.
        Task { [events = ports.responder.events, weak self] in
            for await event in events {
                if case .ended = event { self?.holdings.withLock { $0.publication = nil } }
                self?.peripheral.tell(event.name)
            }
        }
        try await useAll()
    }

    func end() async {
        await ports.close()
        await stranger.leave()
        await observer.close()
    }

    /// Keeps what another program was given, its sockets; `nil` lets all go.
    func keep(_ body: [Value]?) {
        holdings.withLock { holdings in
            if let body { holdings.kept.append(body) } else { holdings.kept = [] }
        }
    }

    // MARK: - The peripheral

    var publication: any Publication {
        get throws { try #require(holdings.withLock { $0.publication }) }
    }

    /// Publishes, unless that is done.
    func publish() async throws {
        guard holdings.withLock({ $0.publication }) == nil else { return }
        let others = (0..<fault.otherCharacteristics).map { _ in
            GATTCharacteristic(uuid: "2AF0", properties: .read)
        }
        let publication = try await ports.serving.publish(
            PortScene.services
                + (others.isEmpty ? [] : [GATTService(uuid: "FFF0", characteristics: others)]),
            advertising: Advertisement(localName: "Port", serviceUUIDs: [PortScene.service]),
            options: .lostRefusals,
            responder: ports.responder
        )
        holdings.withLock { $0.publication = publication }
        peripheral.tell("published")
    }

    func withdraw() async {
        let publication = holdings.withLock { holdings in
            defer { holdings.publication = nil }
            return holdings.publication
        }
        await publication?.withdraw()
    }

    /// Advertises beside what is published, until ``stopAdvertising()``.
    func advertise() async throws -> any Advertising {
        let advertising = try await ports.serving.advertise(
            Advertisement(localName: "Other", serviceUUIDs: ["180A"])
        )
        holdings.withLock { $0.advertisements.append(advertising) }
        return advertising
    }

    func stopAdvertising() async {
        let advertisements = holdings.withLock { holdings in
            defer { holdings.advertisements = [] }
            return holdings.advertisements
        }
        for advertising in advertisements { await advertising.stop() }
    }

    // MARK: - The central

    var link: any Link {
        get throws { try #require(holdings.withLock { $0.link }) }
    }

    /// Connects, and discovers nothing yet.
    func connect() async throws -> any Link {
        let sighting = try await ports.find()
        let link = try await ports.central.connect(to: sighting.peer)
        holdings.withLock { $0.link = link }
        // Ends with the link.
        Task { [weak self] in
            for await event in link.events {
                if case .disconnected = event { self?.holdings.withLock { $0.link = nil } }
                self?.central.tell(event.name)
            }
        }
        return link
    }

    /// Disconnects; returns when the link has ended.
    func disconnect() async throws {
        let start = central.count
        guard let link = holdings.withLock({ $0.link }) else { return }
        await link.disconnect()
        let hasEnded = await central.wait(from: start, within: Self.patience) { lines in
            lines.contains { $0.hasPrefix("disconnected") }
        }
        try #require(hasEnded, "a link that was disconnected does not end")
    }

    // MARK: - What both do

    /// Uses all that the two have, and begins anew what has ended.
    private func useAll() async throws {
        try await publish()
        let link: any Link
        if let known = holdings.withLock({ $0.link }) {
            link = known
        } else {
            link = try await connect()
        }
        _ = try await link.discoverServices()
        try await link.write(CountingResponder.value(0, 4), to: PortScene.input)
        try await link.writeWithoutResponse(CountingResponder.value(1, 4), to: PortScene.input)
        #expect(try await link.read(PortScene.level) == [10])
        #expect(try await link.read(Self.descriptor) == Array("In".utf8))
        let start = peripheral.count
        try await receive(over: link)
        // A subscription that is being ended would be in the way of a socket.
        let isOver = await peripheral.wait(from: start, within: Self.patience / 4) {
            ["subscribed", "unsubscribed"].areTold(in: $0)
        }
        guard isOver else { throw RadioError(.failed, "a subscription does not end") }
    }

    /// Receives one notification, in a stream of its own.
    private func receive(over link: any Link) async throws {
        var values = try await link.notifications(of: PortScene.output).makeAsyncIterator()
        try await publication.update(PortScene.output, to: [9])
        while let value = try await values.next(), value != [9] {}
    }

    static let descriptor = DescriptorID(characteristic: PortScene.input, descriptor: "2901")

    /// Tries on and on, until all can be used; what has failed is disconnected before.
    ///
    /// - Returns: how long that took; `nil` when it took longer than the limit.
    func recover() async throws -> Duration? {
        let begin = ContinuousClock.now
        while begin.duration(to: .now) < Self.patience {
            do {
                let isDone: Void? = try await withTimeLimit(
                    Self.patience / 2,
                    on: ContinuousClock()
                ) {
                    try await self.useAll()
                }
                if isDone != nil { return begin.duration(to: .now) }
            } catch {
                holdings.withLock { $0.failures.append(error) }
            }
            try await disconnect()
            // What fails at once is not tried again at once, as a person would not.
            try await Task.sleep(for: .milliseconds(25 * WorldKind.current.slowness))
        }
        return nil
    }

    /// Why it could not be used the last time.
    var lastFailure: String { holdings.withLock { $0.failures.last.map { "\($0)" } ?? "too slow" } }

    /// Why it could not be used at once, in a few words.
    var retries: String {
        let codes = holdings.withLock { $0.failures.map(Self.code) }.withoutRepetitions
        return codes.isEmpty ? "" : "after " + codes.joined(separator: ", ")
    }

    // MARK: - What is begun

    /// Begins what a fault is to end.
    ///
    /// - Parameters:
    ///   - name: what it is called in the row.
    ///   - codes: how it may end: with one of these errors, or with what it returns.
    ///   - teller: whose it is; the central's, if nothing else is said.
    ///   - work: what is done; it returns how it has ended.
    func begin(
        _ name: String,
        _ codes: Set<String>,
        by teller: Chronicle? = nil,
        _ work: @escaping @Sendable () async throws -> String
    ) {
        let teller = teller ?? central
        let task = Task {
            let (code, text): (String, String)
            do {
                code = try await work()
                text = "\(name) \(code)"
            } catch {
                code = Self.code(of: error)
                text = "\(name) failed (\(code))"
            }
            if !codes.contains(code) { Issue.record("\(text), not \(codes.sorted())") }
            teller.tell(text)
        }
        holdings.withLock { $0.pending.append(task) }
    }

    /// Begins something; returns when a message of it is on the bus.
    func begin(
        _ name: String,
        _ codes: Set<String>,
        upTo member: String,
        by teller: Chronicle? = nil,
        _ work: @escaping @Sendable () async throws -> String
    ) async throws {
        let monitor = try await BusMonitor(world.bus)
        begin(name, codes, by: teller, work)
        try await monitor.message(member)
        _ = await monitor.end()
    }

    var begunCount: Int { holdings.withLock { $0.pending.count } }

    /// Waits until all that was begun has ended; what has not within the limit is cancelled.
    ///
    /// - Returns: how much was.
    func settle() async throws -> Int {
        var lostCount = 0
        for task in holdings.withLock({ $0.pending }) {
            let hasEnded = try await withTimeLimit(Self.patience * 2, on: ContinuousClock()) {
                await withTaskCancellationHandler {
                    await task.value
                    return !Task.isCancelled
                } onCancel: {
                    task.cancel()
                }
            }
            if hasEnded != true { lostCount += 1 }
        }
        return lostCount
    }

    private static func code(of error: any Error) -> String {
        switch error {
        case let error as RadioError: error.code.description
        case is CancellationError: "cancelled"
        default: "\(error)"
        }
    }
}

extension LinkEvent {
    /// What the central is told, in the words of a row.
    fileprivate var name: String {
        switch self {
        case .notification: "notification"
        case .servicesInvalidated: "services invalidated"
        case .mtuChanged: "MTU changed"
        case .disconnected(let error): "disconnected" + (error.map { " (\($0.code))" } ?? "")
        }
    }
}

extension PublicationEvent {
    /// What the peripheral is told.
    fileprivate var name: String {
        switch self {
        case .subscribed: "subscribed"
        case .unsubscribed: "unsubscribed"
        case .mtuChanged(let mtuBytes, _): "MTU \(mtuBytes)"
        case .individualNotificationsEnded: "no longer notified alone"
        case .lostWrites(let count, _, _): "\(count) writes lost"
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .ended(let error): "ended (\(error.code))"
        }
    }
}
