import BLE
import BLEDBusTesting
import Foundation
import Testing

@testable import BlueZ

/// What was opened and closed is gone, with its threads and descriptors.
///
/// In a process of its own, as other tests open and close things meanwhile.
@Suite("What was closed", .timeLimit(.minutes(10)))
struct LeakTests {
    @Test func `leaves no object, thread or descriptor behind`() async {
        await #expect(processExitsWith: .success) {
            try await Round.run()
            let before = try Remains()
            for _ in 0..<10 { try await Round.run() }
            // The threads of Swift's own pool, one for each core, may have come meanwhile, and a timer of each of Dispatch's three
            // clocks. What is left by each round is ten times as much.
            let cores = ProcessInfo.processInfo.activeProcessorCount
            while true {
                let after = try Remains()
                if after.descriptors <= before.descriptors + 2,
                    after.threads <= before.threads + cores
                {
                    break
                }
                // A thread that ends takes its time; one that does not ends the test's time.
                await Task.yield()
            }
        }
    }
}

/// What a process holds.
private struct Remains {
    let descriptors: Int
    let threads: Int

    init() throws {
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
    }
}

/// One of everything, opened, used and closed.
private enum Round {
    private final class Weak {
        weak var object: AnyObject?

        init(_ object: AnyObject) { self.object = object }
    }

    static func run() async throws {
        // Each is gone as soon as the last task that used it has ended.
        for weak in try await open() {
            while weak.object != nil { await Task.yield() }
        }
    }

    private static func open() async throws -> [Weak] {
        let world = try await World()
        let adapter = try await world.open()
        let link = try await world.link(adapter)
        try await link.subscribe(to: World.answer)
        _ = try await link.read(World.answer)
        let responder = ScriptedResponder()
        let publication = try await adapter.publish(responder: responder)
        let events = try await adapter.scan(ScanFilter())
        let listening = Task { for try await _ in events {} }
        await publication.withdraw()
        await adapter.close()
        _ = await listening.result
        await world.daemon.stop()
        let objects: [AnyObject] = [
            adapter, adapter.connection, link, publication as AnyObject, responder, world.daemon,
            world.bus,
        ]
        return objects.map(Weak.init)
    }
}
