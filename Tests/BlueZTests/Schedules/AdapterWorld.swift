import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting

@testable import BlueZ

/// An adapter over an org.bluez of which the seed decides each reply and signal, and their order.
///
/// First anything may happen; then all that was begun is taken back, each call is answered, and
/// org.bluez must have nothing left of it; last the adapter is closed, and everything must have ended.
/// The order on the bus is the seed's; which of two threads is first is not.
actor AdapterWorld {
    let bus: PrivateBus
    /// `nil` while org.bluez is away.
    var daemon: ScriptedDaemon?
    let adapter: Adapter
    var dice: SeededGenerator
    /// The adapter's time, which passes between steps.
    private let clock = BLETesting.ManualClock()
    private var times: SeededGenerator
    private(set) var trace: [String] = []
    private(set) var faults: [String] = []

    // What org.bluez has.
    var isPowered = true
    var isConnected = false
    var isResolved = false
    var isDiscovering = false
    var notifying: Set<ObjectPath> = []
    var registered: Set<ObjectPath> = []

    var clientsOfLast: Set<String> = []

    // What the program has.
    var calls: [Int: (name: String, task: Task<Void, Never>)] = [:]
    var links: [any Link] = []
    var publications: [any Publication] = []
    /// Whether all is being taken back; also what a call still brings that had succeeded as it was cancelled.
    private var isTakingBack = false
    /// How often each link has ended.
    private var ends: [Int: Int] = [:]
    private var lastNumber = 0

    init(seed: UInt64, on bus: PrivateBus) async throws {
        self.bus = bus
        dice = SeededGenerator(seed: seed)
        // So that how much passes changes nothing of what happens.
        times = SeededGenerator(seed: ~seed)
        let daemon = try await ScriptedDaemon(on: bus)
        self.daemon = daemon
        // What is tried again, is so at once; who is looked for, for a moment.
        var recovery = Recovery(clock: clock, seed: seed)
        recovery.serviceCheckLimit = .milliseconds(20)
        recovery.startPauses = [.milliseconds(1), .milliseconds(2)]
        recovery.discoveryRestartDelay = .milliseconds(20)
        recovery.connectPauses = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
        recovery.disconnectionLimit = .milliseconds(5)
        recovery.searchLimit = .milliseconds(20)
        recovery.otherSubscriptionLimit = .milliseconds(5)
        recovery.unsubscriptionLimit = .milliseconds(5)
        recovery.requestPauses = Backoff(first: .milliseconds(1), longest: .milliseconds(2))
        recovery.requestRetryLimit = .milliseconds(20)
        adapter = try await Adapter.open(nil, at: BusAddress(bus.address), recovery: recovery)
        await daemon.keepAll()
        await daemon.know([adapter.connection.uniqueName])
    }

    func note(_ line: String) { trace.append(line) }

    func fault(_ line: String) {
        note("FAULT \(line)")
        faults.append(line)
    }

    /// Lets a few milliseconds pass for the adapter, or none.
    func passTime() async {
        await clock.advance(by: .milliseconds(times.number(in: 0...4)))
    }

    /// Lets all limits of the adapter be over.
    func passLimits() async { await clock.advance(by: .milliseconds(20)) }

    /// Returns when what was said on the bus has been heard, and what follows from it was said.
    func settle() async {
        for _ in 0..<3 {
            await daemon?.untilHandled()
            _ = await adapter.state
            await Task.yield()
        }
    }

    // MARK: Calls of the program

    private func call(_ name: String, _ work: @escaping @Sendable () async throws -> Void) {
        lastNumber += 1
        let number = lastNumber
        note("call: \(name)")
        let task = Task {
            do {
                try await work()
                self.end(number, "ended: \(name)")
            } catch {
                self.end(number, "failed: \(name): \(error)")
                self.judge(error, of: name)
            }
        }
        calls[number] = (name, task)
    }

    private func end(_ number: Int, _ line: String) {
        if calls.removeValue(forKey: number) == nil { fault("twice: \(line)") }
        note(line)
    }

    /// What fails says so with an error of the port.
    private func judge(_ error: any Error, of name: String) {
        switch error {
        case is RadioError, is ATTError, is CancellationError: break
        default: fault("\(name) failed with \(type(of: error)): \(error)")
        }
    }

    func scan() {
        call("scan") { [adapter] in
            for try await _ in try await adapter.scan(ScanFilter(service: World.service)) {}
        }
    }

    func connect() {
        call("connect") { [adapter] in
            let link = try await adapter.link(to: World.ball)
            await self.use(link)
        }
    }

    private func use(_ link: any Link) {
        guard !links.contains(where: { $0 as AnyObject === link as AnyObject }) else { return }
        let index = links.count
        links.append(link)
        call("events of link \(index)") {
            for await event in link.events {
                await self.hear(event, over: index)
            }
            await self.hearEnd(of: index)
        }
        if isTakingBack { call("disconnect") { await link.disconnect() } }
    }

    private func hear(_ event: LinkEvent, over index: Int) {
        if ends[index, default: 0] > 0 { fault("\(event) after the end of link \(index)") }
        guard case .disconnected(let cause) = event else { return }
        ends[index, default: 0] += 1
        note("link \(index) ended: \(cause.map { "\($0)" } ?? "here")")
    }

    private func hearEnd(of index: Int) {
        if ends[index] != 1 { fault("link \(index) was told to end \(ends[index] ?? 0) times") }
    }

    func useLink() {
        guard let link = dice.element(of: links) else { return }
        switch dice.number(in: 0...9) {
        case 0...2: call("write") { try await link.write([1], to: World.question) }
        case 3, 4: call("read") { _ = try await link.read(World.answer) }
        case 5, 6: call("subscribe") { try await link.subscribe(to: World.answer) }
        case 7, 8: call("unsubscribe") { try await link.unsubscribe(from: World.answer) }
        default: call("disconnect") { await link.disconnect() }
        }
    }

    func publish() {
        call("publish") { [adapter] in
            let publication = try await adapter.publish(responder: ScriptedResponder())
            await self.keep(publication)
        }
    }

    private func keep(_ publication: any Publication) {
        publications.append(publication)
        if isTakingBack { call("withdraw") { await publication.withdraw() } }
    }

    func usePublication() {
        guard let publication = dice.element(of: publications) else { return }
        if dice.chance(50) {
            call("withdraw") { await publication.withdraw() }
        } else {
            call("update") { try await publication.update(World.answer, to: [2]) }
        }
    }

    func cancel() {
        let cancellable = calls.filter { !$0.value.name.hasPrefix("events") }.keys.sorted()
        guard let number = dice.element(of: cancellable), let call = calls[number] else { return }
        note("cancel: \(call.name)")
        call.task.cancel()
    }

    /// Takes back all that was begun.
    func takeBackAll() {
        isTakingBack = true
        for (_, call) in calls.sorted(by: { $0.key < $1.key })
        where !call.name.hasPrefix("events") && call.name != "disconnect" {
            note("cancel: \(call.name)")
            call.task.cancel()
        }
        for link in links { call("disconnect") { await link.disconnect() } }
        for publication in publications { call("withdraw") { await publication.withdraw() } }
    }
}
