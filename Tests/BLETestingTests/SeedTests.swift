import BLE
import BLETesting
import Testing

@Suite("A seed", .timeLimit(.minutes(10)))
struct SeedTests {
    /// In which order a scan reports eight radios that advertise at the same time.
    private func order(_ seed: UInt64?) async throws -> [String] {
        let air = MemoryAir(seed: seed, clock: ManualClock())
        for number in 0..<8 {
            _ = try await air.radio("\(number)").advertise(Sample.advertisement)
        }
        return try await air.radio("Phone").scan(ScanFilter()).first(8).map { event in
            if case .seen(let sighting) = event { sighting.peer.rawValue } else { "" }
        }
    }

    @Test func `decides the order of what arrives at the same time, and does so again`()
        async throws
    {
        #expect(try await order(nil) == (0..<8).map { "\($0)" })
        var orders: Set<[String]> = []
        for seed in UInt64(0)..<20 {
            let order = try await order(seed)
            #expect(Set(order).count == 8)
            #expect(try await self.order(seed) == order)
            orders.insert(order)
        }
        #expect(orders.count > 15)
    }

    @Test(arguments: [nil, 1, 2, 3, 4, 5, 6, 7, 8, 9] as [UInt64?])
    func `changes no order that there is`(seed: UInt64?) async throws {
        let scene = try await Scene(seed: seed)
        let radios = [
            scene.central, await scene.air.radio("Tablet"), await scene.air.radio("Watch"),
        ]
        try await withThrowingTaskGroup { group in
            for radio in radios {
                let link = try await scene.link(radio)
                try await link.subscribe(to: Sample.level)
                group.addTask {
                    for value in UInt8(0)..<10 {
                        try await link.writeWithoutResponse([value], to: Sample.command)
                    }
                    #expect(await link.values(20) == (0..<20).map { [$0] })
                }
            }
            for value in UInt8(0)..<20 {
                try await scene.publication.update(Sample.level, to: [value])
            }
            try await group.waitForAll()
        }
        let calls = try await scene.responder.calls.first(35).filter { $0.contains("writes") }
        #expect(calls.count == 30)
        for radio in radios {
            let own = calls.filter { $0.hasPrefix(radio.name) }
            #expect(own == (0..<10).map { "\(radio.name) writes [\($0)] to 2A20/0" })
        }
    }
}
