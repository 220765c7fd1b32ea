import BLE
import BLETesting
import Testing

@testable import BLESession

/// A central that looks for a peripheral, and connects to it.
@Suite("A search for a peripheral", .timeLimit(.minutes(10)))
struct PeripheralSearchTests {
    private static let service = GATTService(
        uuid: "1821",
        characteristics: [GATTCharacteristic(uuid: "2A20", properties: [.read])]
    )

    private struct Responder: GATTResponder {
        func read(
            _ characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) -> [UInt8] { [7] }

        func handle(_ event: PublicationEvent) async {}
    }

    private actor Attempts {
        private(set) var links: [any Link] = []
        /// Kept when the first one has a connection.
        let began = Promise<Void>()

        /// Links that carry nothing: whatever is asked over them is waited for until that is cancelled.
        func add(_ link: any Link, carryNothing count: Int) async throws {
            links.append(link)
            began.fulfil()
            guard links.count <= count else { return }
            let forever = Promise<Void>()
            try await forever.wait()
        }
    }

    private func publish(on radio: MemoryRadio) async throws -> any Publication {
        try await radio.publish(
            Self.service,
            advertising: Advertisement(localName: "Torch", serviceUUIDs: ["1821"]),
            responder: Responder()
        )
    }

    /// Searches with a limit of 10 s; the first attempts come to nothing.
    private func search(
        carryNothing count: Int,
        _ check: (MemoryRadio, Attempts, PeripheralSearch, ManualClock, Task<PeerID, any Error>)
            async throws
            -> Void
    ) async throws {
        let air = MemoryAir()
        let (central, peripheral) = (await air.radio("Phone"), await air.radio("Torch"))
        let publication = try await publish(on: peripheral)
        let clock = ManualClock()
        let search = PeripheralSearch(service: "1821", peer: nil, limit: .seconds(10))
        let attempts = Attempts()
        let searching = Task {
            try await search.link(over: central, on: clock, where: { !$0.isEmpty }) { link, _ in
                try await attempts.add(link, carryNothing: count)
                return link.peer
            }
        }
        try await check(peripheral, attempts, search, clock, searching)
        await publication.withdraw()
    }

    @Test func `calls again over another connection when one carries nothing`() async throws {
        try await search(carryNothing: 1) { peripheral, attempts, search, clock, searching in
            try await attempts.began.wait()
            await clock.pass(.seconds(4))
            await clock.pass(.milliseconds(200))
            #expect(try await searching.value == peripheral.peer)
            let links = await attempts.links
            #expect(links.count == 2)
            #expect(search.lastError?.code == .timedOut)
            // The first one was ended.
            for await case .disconnected in try #require(links.first).events { break }
        }
    }

    /// The first one carries nothing, or shows services that were kept; its end takes three seconds from when it is asked for.
    @Test(arguments: [false, true])
    func `gives another connection its whole time, once the first has ended`(
        isStale: Bool
    ) async throws {
        let clock = ManualClock()
        let air = MemoryAir(clock: clock)
        let (central, peripheral) = (await air.radio("Phone"), await air.radio("Torch"))
        await central.simulateDisconnecting(takes: .zero, endingAfter: .seconds(3))
        if isStale { await central.simulateKeptServices(of: peripheral) }
        let publication = try await publish(on: peripheral)
        let search = PeripheralSearch(service: "1821", peer: nil, limit: .seconds(10))
        let attempts = Attempts()
        let found = try await clock.run {
            try await withTimeLimit(.seconds(30), on: clock) {
                try await search.link(over: central, on: clock, where: { !$0.isEmpty }) { link, _ in
                    try await attempts.add(link, carryNothing: isStale ? 0 : 1)
                    try await clock.sleep(for: .seconds(3))
                    return link.peer
                }
            }
        }
        #expect(found == peripheral.peer)
        #expect(await attempts.links.count == (isStale ? 1 : 2))
        await publication.withdraw()
    }

    @Test
    func
        `knows why an attempt failed, also when its time is over before that connection has ended`()
        async throws
    {
        let clock = ManualClock()
        let air = MemoryAir(clock: clock)
        let (central, peripheral) = (await air.radio("Phone"), await air.radio("Torch"))
        await central.simulateDisconnecting(takes: .zero, endingAfter: .seconds(7))
        let publication = try await publish(on: peripheral)
        let limit = Duration.seconds(10)
        let search = PeripheralSearch(service: "1821", peer: nil, limit: limit)
        let attempts = Attempts()
        let found = try await clock.run {
            try await withTimeLimit(limit, on: clock) {
                try await search.link(over: central, on: clock, where: { !$0.isEmpty }) { link, _ in
                    try await attempts.add(link, carryNothing: 1)
                    return link.peer
                }
            }
        }
        #expect(found == nil)
        #expect(search.lastError?.code == .timedOut)
        #expect(await attempts.links.count == 1)
        await publication.withdraw()
    }

    /// A radio that is closed during each scan, which ends without an error, as BlueZ's does.
    private struct ClosedRadio: CentralRadio {
        let name = "Phone"
        let state = RadioState.absent
        let executor: any RadioExecutor = RadioQueue()

        func states() async -> AsyncStream<RadioState> { AsyncStream { $0.finish() } }

        func scan(
            _ filter: ScanFilter
        ) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
            AsyncThrowingStream { $0.finish() }
        }

        func connect(to peer: PeerID, options: ConnectionOptions) async throws -> any Link {
            throw RadioError(.absent, "the radio was closed")
        }
    }

    @Test func `says that its radio was closed while it looked for one`() async throws {
        let search = PeripheralSearch(service: "1821", peer: nil, limit: .seconds(10))
        await #expect {
            try await search.link(
                over: ClosedRadio(),
                on: ManualClock(),
                where: { _ in true },
                prepare: { link, _ in link.peer }
            )
        } throws: {
            ($0 as? RadioError)?.code == .absent
        }
    }

    @Test func `ends when it is cancelled, and says nothing of an attempt`() async throws {
        try await search(carryNothing: 1) { _, attempts, search, clock, searching in
            try await attempts.began.wait()
            searching.cancel()
            await #expect(throws: CancellationError.self) { try await searching.value }
            #expect(search.lastError == nil)
            #expect(await attempts.links.count == 1)
        }
    }
}
