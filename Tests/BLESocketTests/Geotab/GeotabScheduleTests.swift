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

    /// Whatever a device does wrong, each message ends once, and nothing is stuck.
    @Test(arguments: GeotabDevice.Fault.allCases)
    func `come to an end when the device does something wrong`(
        fault: GeotabDevice.Fault
    ) async {
        for seed in 0..<100 as Range<UInt64> {
            await Task.yield()
            var link = SimulatedGeotabLink(seed: seed, fault)
            link.play(steps: 150)
            link.settle()
            #expect(link.faults.isEmpty, "seed \(seed): \(link.faults)")
        }
    }

    /// From the first byte of a connection to the last.
    @Test func `find each other again when the connection ends after any byte`() {
        var byteCount = 0
        while true {
            var link = SimulatedGeotabLink(seed: 7)
            guard link.play(byteCount: byteCount) else { break }
            link.reconnect()
            let count = link.sentCount
            link.send()
            link.settle()
            #expect(link.faults.isEmpty, "after \(byteCount) bytes: \(link.faults)")
            #expect(link.sentCount == count + 1, "after \(byteCount) bytes: the message failed")
            byteCount += 1
        }
        #expect(byteCount > 200)
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
