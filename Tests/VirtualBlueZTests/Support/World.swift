import BLEDBus
import BLEDBusTesting
import VirtualBlueZ

/// A bus with a daemon on it whose time stands still but for what takes no time.
struct World {
    let bus: PrivateBus
    let daemon: VirtualDaemon
    let clock = ManualClock()
    let release: Release

    init(
        adapters: Int = 2,
        version: BlueZVersion = .v5_66,
        mtu: Int = 517,
        overtaking: Duration = .zero,
        startingDiscovery: Duration = .zero,
        firstReport: ClosedRange<Duration> = .zero ... .zero,
        timing: Timing = Timing(),
        seed: UInt64? = nil
    ) async throws {
        var timing = timing
        timing.connecting = .zero
        timing.resolving = .zero
        timing.overtaking = overtaking
        timing.startingDiscovery = startingDiscovery
        timing.firstReport = firstReport
        release = Release(version)
        bus = try await PrivateBus.start()
        daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: adapters,
            version: version,
            mtu: mtu,
            timing: timing,
            clock: clock,
            seed: seed
        )
    }

    func client() async throws -> Client {
        try await Client(in: self)
    }

    /// A client that serves a ball with hci1 and has found it with hci0.
    func ballFound(_ characteristics: [AppCharacteristic] = .ball) async throws -> Client {
        let client = try await client()
        try await client.serve(characteristics)
        try await client.register()
        try await client.advertise(["ServiceUUIDs": .strings([UUIDs.service])])
        try await client.find()
        return client
    }

    /// A client that is connected to its own ball, the services resolved; its trace begins anew.
    func ballConnected(_ characteristics: [AppCharacteristic] = .ball) async throws -> Client {
        let client = try await ballFound(characteristics)
        await client.begin("Connect", on: .ball, .device)
        try await client.upTo("hci0/dev_00_AA_01_01_00_01 Device1 Modalias=\(release.modalias)")
        return client
    }
}
