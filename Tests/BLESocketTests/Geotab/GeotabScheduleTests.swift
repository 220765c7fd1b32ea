import BLETesting
import Testing

@testable import BLESocket

/// An add-on and a device, between which bytes travel in pieces of any size, at any pace.
@Suite("An add-on and a device")
struct GeotabScheduleTests {
    private static let seeds = 0..<1_000 as Range<UInt64>

    /// Each message is reported once, and the device has exactly those that were sent, in order.
    @Test func `lose nothing, whatever the pieces and the pace`() async {
        for seed in Self.seeds {
            // Others, on buses, have limits of time.
            await Task.yield()
            var link = SimulatedGeotabLink(seed: seed)
            link.play(steps: 150)
            link.settle()
            #expect(link.faults.isEmpty, "seed \(seed): \(link.faults)")
            #expect(link.hasAcceptedWhatWasSent, "seed \(seed)")
            #expect(link.hasReceivedWhatDeviceSent, "seed \(seed)")
        }
    }

    /// With garbage in between, bytes that are lost and a device that restarts, messages may fail; each does so
    /// once, and when the line is clear again they go through.
    @Test func `find each other again after anything`() async {
        for seed in Self.seeds {
            // Others, on buses, have limits of time.
            await Task.yield()
            var link = SimulatedGeotabLink(seed: seed)
            link.isNoisy = true
            link.play(steps: 150)
            link.isNoisy = false
            link.settle()
            #expect(link.faults.isEmpty, "seed \(seed): \(link.faults)")
            link.reconnect()
            let count = link.sentCount
            link.send()
            link.settle()
            #expect(link.sentCount == count + 1, "seed \(seed): the last message failed")
        }
    }
}
