import Testing

@testable import VirtualBlueZ

/// Links and packets, without a bus.
@Suite("The radio world")
struct RadioWorldTests {
    private let delayed = LinkQuality(delay: .milliseconds(20))

    /// A world of two controllers, the first of which has connected to the other.
    private func linked(_ quality: LinkQuality = .perfect) -> RadioWorld {
        var world = RadioWorld(controllers: 2, seed: 1)
        world.links.add(from: 0, to: 1)
        world.air.set(quality, between: 0, and: 1)
        return world
    }

    @Test func `has one link between two controllers, whichever looks`() throws {
        var world = linked()
        world.links[1, 0]?[1].hasResolvedServices = true
        let link = try #require(world.links[0, 1])
        #expect((link.caller, link.called) == (0, 1))
        #expect(link[1].hasResolvedServices && !link[0].hasResolvedServices)
    }

    @Test func `has a link until both ends are down`() throws {
        var world = linked()
        world.links[0, 1]?[0].hasResolvedServices = true
        world.links[0, 1]?.takeDown(at: 0)
        let half = try #require(world.links[0, 1])
        #expect(!half[0].isUp && !half[0].hasResolvedServices && half[1].isUp)
        #expect(!half.isWhole && !half.isOver)
        world.links[0, 1]?.takeDown(at: 1)
        #expect(world.links[0, 1]?.isOver == true)
    }

    @Test func `lets packets of a perfect link arrive at once`() {
        var world = linked()
        let passage1 = world.send(from: 0, to: 1, at: .zero, Timing())
        #expect(passage1 == .arrives)
        #expect(world.links.pendingCount == 0)
    }

    @Test func `lets no packet overtake another, also when the link gets better`() {
        var world = linked(delayed)
        let first = world.send(from: 0, to: 1, at: .zero, Timing())
        #expect(first == .arrivesLater(.milliseconds(20), link: 1))
        world.air.set(.perfect, between: 0, and: 1)
        let second = world.send(from: 0, to: 1, at: .milliseconds(5), Timing())
        #expect(second == .arrivesLater(.milliseconds(20), link: 1))
        let back = world.send(from: 1, to: 0, at: .milliseconds(5), Timing())
        #expect(back == .arrives)
        let firstArrived = world.packetArrived(from: 0, to: 1, over: 1)
        #expect(firstArrived)
        let secondArrived = world.packetArrived(from: 0, to: 1, over: 1)
        #expect(secondArrived)
        let third = world.send(from: 0, to: 1, at: .milliseconds(30), Timing())
        #expect(third == .arrives)
    }

    @Test func `loses a packet where nothing gets through, and where no link is`() {
        var world = linked(LinkQuality(loss: 1))
        let lossy = world.send(from: 0, to: 1, at: .zero, Timing())
        #expect(lossy == .isLost)
        world.links.removeAll()
        let linkless = world.send(from: 0, to: 1, at: .zero, Timing())
        #expect(linkless == .isLost)
    }

    @Test func `lets no packet of a link arrive over the next one`() {
        var world = linked(delayed)
        _ = world.send(from: 0, to: 1, at: .zero, Timing())
        world.links.add(from: 1, to: 0)
        let arrived = world.packetArrived(from: 0, to: 1, over: 1)
        #expect(!arrived)
        #expect(world.links.pendingCount == 0)
    }

    @Test func `has a controller that comes back off, under another name`() {
        var world = RadioWorld(controllers: 2, seed: 1)
        world.unplug(1)
        #expect(!world.isPowered(1) && world.controller(named: 1) == nil)
        world.plug(1, as: 5)
        #expect(!world.isPowered(1) && world.controller(named: 5) == 1)
        world.setPower(of: 1, true)
        #expect(world.isPowered(1))
    }
}
