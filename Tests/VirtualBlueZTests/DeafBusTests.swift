import BLEDBus
import BLEDBusTesting
import Testing

@testable import VirtualBlueZ

@Suite("A bus that does not read", .timeLimit(.minutes(10)))
struct DeafBusTests {
    @Test func `ends the daemon, and another can take its place`() async throws {
        let world = try await World()
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let watcher = try await Connection.open(BusAddress(world.bus.address))
        try await watcher.watchOwner(of: VirtualDaemon.busName) { owner in
            if owner == nil { end.yield() }
        }
        world.bus.suspend()
        await world.daemon.tell(megabytes: 40)
        // It is done with what it was doing first.
        while await world.daemon.isRunning { await Task.yield() }
        world.bus.resume()
        for await _ in ends { break }
        await world.daemon.stop()
        let next = try await VirtualDaemon.start(on: world.bus.address)
        #expect(await next.isRunning)
        await next.stop()
        await watcher.close()
    }
}

extension VirtualDaemon {
    fileprivate func tell(megabytes count: Int) {
        let value = Value.string(String(repeating: "a", count: 1 << 20))
        for _ in 0..<count { bus.signal("Changed", of: "a.b", at: "/a", [value]) }
        #expect(isRunning)
    }
}
