import BLE
import BLEDBus
import BLEDBusTesting
import BlueZ
import Glibc
import MagicEightBall
import VirtualBlueZ

/// All that a soak runs: a bus, a bluetoothd, four adapters, balls and askers.
///
/// | adapter | is |
/// |---|---|
/// | hci0 | an asker of the SDK, which asks both balls; strangers pass it by |
/// | hci1 | a ball of the SDK |
/// | hci2 | an original ball, and an original asker |
/// | hci3 | another asker of the SDK |
actor Stage {
    static let ballName = "Soak"
    static let originalName = "Original"

    private let plan: Plan
    private let clock: VirtualClock
    private let tally: Tally
    private let bus: PrivateBus
    /// A client of the bus that looks at it.
    private let witness: Connection
    private let busProcess: pid_t

    private var daemon: VirtualDaemon?
    private var adapters: [Adapter] = []
    private var radios: [CountedRadio] = []
    private(set) var centrals: [EightBallCentral] = []
    private var ball: EightBallPeripheral?
    private var tasks: [Task<Void, Never>] = []
    private let observers: (asking: AskingObserver, answering: AnsweringObserver)

    private var crowdCount: UInt64 = 0
    private var startCount = 1
    private let census = Census()

    /// Starts bus, bluetoothd and clock.
    init(_ plan: Plan, _ clock: VirtualClock, _ tally: Tally) async throws {
        self.plan = plan
        self.clock = clock
        self.tally = tally
        bus = try await PrivateBus.start()
        witness = try await Connection.open(BusAddress(bus.address))
        busProcess = try await witness.busProcess()
        observers = (AskingObserver(tally), AnsweringObserver(tally))
        clock.run(whenever: Stillness(processes: [getpid(), busProcess]))
        try await startDaemon()
    }

    private func startDaemon() async throws {
        let daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: 4,
            timing: Timing(advertisingInterval: .seconds(4)),
            clock: clock
        )
        census.add(daemon, as: .bluetoothd)
        self.daemon = daemon
    }

    /// Opens the adapters; begins to answer and to look for balls.
    func open() async throws {
        for index in 0..<4 {
            let adapter = try await Adapter.open("hci\(index)", onBusAt: bus.address)
            adapters.append(adapter)
            radios.append(CountedRadio(adapter, in: census))
        }
        let ball = EightBallPeripheral(
            radio: radios[1],
            name: Self.ballName,
            answers: .obedient(on: clock),
            atOnce: 4,
            clock: clock
        )
        self.ball = ball
        await ball.addObserver(observers.answering)
        try await ball.start()
        let original = OriginalBall(Self.originalName, radio: radios[2], clock: clock)
        tasks.append(Task { await original.run() })
        for index in [0, 3] {
            let central = EightBallCentral(radio: radios[index], clock: clock)
            await central.addObserver(observers.asking)
            try await central.start()
            centrals.append(central)
        }
        tasks.append(
            Task { [tally, clock, radio = radios[0]] in
                await tally.countSightings(of: radio, on: clock)
            }
        )
    }

    /// An asker of each kind, and which part of all questions it asks.
    var askers: [(asker: any Asker, share: Double)] {
        [
            (sdkAsker("hci0", 0, Self.ballName), 0.5),
            (sdkAsker("hci3", 1, Self.ballName), 0.25),
            (sdkAsker("hci0 too", 0, Self.originalName), 0.15),
            (OriginalAsker(name: "hci2, plain", radio: radios[2], ball: Self.ballName), 0.1),
        ]
    }

    private func sdkAsker(_ name: String, _ central: Int, _ ball: String) -> SDKAsker {
        SDKAsker(name: name, central: centrals[central], ball: ball)
    }

    /// Ends all that was opened; the bus and its witness stay.
    func close() async {
        for central in centrals { await central.stop() }
        await ball?.stop()
        for adapter in adapters { await adapter.close() }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
        await daemon?.stop()
        (centrals, ball, radios, adapters, tasks, daemon) = ([], nil, [], [], [], nil)
    }

    // MARK: - Strangers

    /// Lets strangers pass by, so fast that all sightings have been made at the end.
    func admitCrowd(remaining time: Duration) async {
        crowdCount += 1
        let left = plan.sightings - tally.counts.sightings
        let rate = Double(max(0, left)) / max(1, time / .seconds(1))
        await daemon?.simulatePassersby(
            plan.addresses,
            near: 0,
            sightingsPerSecond: rate,
            advertising: ["\(OriginalBall.service)"],
            seed: plan.seed + crowdCount
        )
    }

    func dismissCrowd() async {
        await daemon?.simulatePassersby(0, near: 0, sightingsPerSecond: 0)
    }

    // MARK: - Disturbances

    func disturb(_ disturbance: Disturbance) async throws {
        switch disturbance {
        case .outOfRange:
            await daemon?.simulateProximityChange(.outOfRange, between: 0, and: 1)
            try await clock.sleep(for: .seconds(60))
            await daemon?.simulateProximityChange(.near, between: 0, and: 1)
        case .askerOff: try await interruptPower(of: 0)
        case .ballOff: try await interruptPower(of: 1)
        case .originalOff: try await interruptPower(of: 2)
        case .unplugged:
            await daemon?.simulateUnplugging(of: 1)
            try await clock.sleep(for: .seconds(20))
            await daemon?.simulatePlugging(of: 1)
        case .linkCut:
            await daemon?.simulateDisconnection(between: 0, and: 1)
            await daemon?.simulateDisconnection(between: 1, and: 3)
        case .restart:
            try await restart()
        }
    }

    private func interruptPower(of adapter: Int) async throws {
        await daemon?.simulatePowerOff(of: adapter)
        try await clock.sleep(for: .seconds(20))
        await daemon?.simulatePowerOn(of: adapter)
    }

    /// Ends bluetoothd, in order and as by a crash in turn, and starts another.
    private func restart() async throws {
        if startCount.isMultiple(of: 2) { await daemon?.stop() } else { await daemon?.kill() }
        try await clock.sleep(for: .seconds(2))
        try await startDaemon()
        startCount += 1
    }

    // MARK: - Readings

    /// Reads what is in use.
    func read(_ moment: String, since start: VirtualClock.Instant) async throws -> Reading {
        let rules = try await witness.matchRuleCount()
        let objects = try await witness.objectCount()
        let own = ProcessReading(of: getpid())
        return Reading(
            moment: moment,
            time: start.duration(to: clock.now),
            residentKilobytes: own.residentKilobytes,
            heapKilobytes: heapKilobytes(),
            descriptors: own.descriptors,
            threads: own.threads,
            matchRules: rules,
            busKilobytes: ProcessReading(of: busProcess).residentKilobytes,
            objects: objects,
            adapters: census.count(of: .adapter),
            daemons: census.count(of: .bluetoothd),
            publications: census.count(of: .publication),
            links: census.count(of: .link),
            timers: clock.sleeperCount,
            jumps: clock.jumps,
            questions: tally.counts.asked,
            sightings: tally.counts.sightings
        )
    }
}
