import Testing

@testable import BlueZ

@Suite("The discovery that scans share")
struct DiscoveryTests {
    private func running() -> Discovery {
        var discovery = Discovery()
        discovery.isWanted = true
        #expect(discovery.next() == .start(epoch: 0))
        #expect(discovery.didStart(true, epoch: 0) == true)
        return discovery
    }

    @Test func `starts with the first scan and stops with the last`() {
        var discovery = running()
        #expect(discovery.isRunning)
        #expect(discovery.next() == nil)
        discovery.isWanted = false
        #expect(discovery.next() == .stop(epoch: 0))
        #expect(discovery.next() == nil)
        #expect(!discovery.isStopped)
        #expect(discovery.didStop(epoch: 0) == true)
        #expect(discovery.isStopped)
        #expect(discovery.next() == nil)
    }

    @Test func `waits for the reply before it turns round`() {
        var discovery = Discovery()
        discovery.isWanted = true
        #expect(discovery.next() == .start(epoch: 0))
        discovery.isWanted = false
        #expect(discovery.next() == nil)
        #expect(discovery.didStart(true, epoch: 0) == true)
        #expect(discovery.next() == .stop(epoch: 0))
        discovery.isWanted = true
        #expect(discovery.next() == nil)
        #expect(discovery.didStop(epoch: 0) == true)
        #expect(discovery.next() == .start(epoch: 0))
    }

    @Test func `pauses as long as any connection is made`() {
        var discovery = running()
        discovery.pause()
        discovery.pause()
        #expect(discovery.next() == .stop(epoch: 0))
        #expect(discovery.didStop(epoch: 0) == true)
        discovery.resume()
        #expect(discovery.next() == nil)
        discovery.resume()
        #expect(discovery.next() == .start(epoch: 0))
    }

    @Test func `does not run after it failed to start`() {
        var discovery = Discovery()
        discovery.isWanted = true
        #expect(discovery.next() == .start(epoch: 0))
        #expect(discovery.didStart(false, epoch: 0) == true)
        #expect(discovery.isStopped)
    }

    @Test func `ends with the adapter's power, and takes no reply from before`() {
        var discovery = Discovery()
        discovery.isWanted = true
        #expect(discovery.next() == .start(epoch: 0))
        discovery.end()
        #expect(discovery.next() == nil)
        discovery.isWanted = true
        #expect(discovery.next() == .start(epoch: 1))
        #expect(discovery.didStart(false, epoch: 0) == false)
        #expect(discovery.didStart(true, epoch: 1) == true)
        #expect(discovery.didStop(epoch: 1) == false)
    }

    @Test func `takes no reply to a start that it did not wait for once it is started again`() {
        var discovery = Discovery()
        discovery.isWanted = true
        #expect(discovery.next() == .start(epoch: 0))
        discovery.didStartUnanswered()
        #expect(discovery.restart() == .stop(epoch: 1))
        #expect(discovery.didStop(epoch: 1) == true)
        #expect(discovery.next() == .start(epoch: 1))
        #expect(discovery.didStart(false, epoch: 0) == false)
        #expect(discovery.isStarting)
        #expect(discovery.didStart(true, epoch: 1) == true)
    }
}
