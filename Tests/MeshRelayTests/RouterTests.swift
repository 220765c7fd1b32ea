import Testing

@testable import MeshRelay

@Suite("A router")
struct RouterTests {
    private static let (left, right, far) = (NeighbourID(1), NeighbourID(2), NeighbourID(3))

    private static func router(
        _ neighbours: [NeighbourID] = [left, right, far],
        limits: RelayLimits = RelayLimits()
    ) -> Router {
        var router = Router(
            address: Vectors.address("me#1"),
            generation: .both,
            limits: limits
        )
        for neighbour in neighbours {
            #expect(router.handle(.joined(neighbour), at: .zero).isEmpty)
        }
        return router
    }

    private static func packet(
        _ id: Int32 = 7,
        from sender: String = "a#1",
        to receiver: String = "b#1",
        _ kind: RelayPacket.Kind = .message,
        text: String = "AAAA"
    ) -> RelayPacket {
        RelayPacket(id: id, kind: kind, sender: sender, receiver: receiver, text: text)
    }

    private static func receipt(
        _ receipt: RelayReceipt,
        id: Int32 = 8,
        from sender: String = "b#1",
        to receiver: String = "a#1"
    ) -> RelayPacket {
        packet(id, from: sender, to: receiver, receipt.kind, text: receipt.text)
    }

    private static func send(_ bytes: [UInt8], to neighbours: [NeighbourID]) -> Router.Effect {
        guard let packet = try? WirePacket(bytes) else { preconditionFailure("it is a packet") }
        return .send(packet, to: neighbours)
    }

    private static func bytes(_ packet: RelayPacket) -> [UInt8] { packet.encoded(for: .second) }

    @Test func `sends on what is not for it, once, and not back`() {
        var router = Self.router()
        // As it came, with what it does not know.
        let bytes = Array(
            #"{"hops":3,"id":7,"kind":0,"sender":"a#1","receiver":"b#1","text":"AAAA"}"#.utf8
        )
        #expect(
            router.handle(.received(bytes, from: Self.left), at: .zero) == [
                Self.send(bytes, to: [Self.right, Self.far])
            ]
        )
        for neighbour in [Self.left, Self.right] {
            #expect(
                router.handle(.received(bytes, from: neighbour), at: .seconds(1)) == [
                    .drop(.known, from: neighbour)
                ]
            )
        }
        #expect(router.counters.received == 3 && router.counters.relayed == 1)
        #expect(router.counters.dropped == [.known: 2])
        // Another sender may choose the same number.
        let other = Self.bytes(Self.packet(from: "c#1"))
        #expect(
            router.handle(.received(other, from: Self.far), at: .seconds(1)) == [
                Self.send(other, to: [Self.left, Self.right])
            ]
        )
    }

    @Test func `knows its own when it comes back`() {
        var router = Self.router()
        let own = Self.packet(from: "me#1")
        #expect(
            router.handle(.originated(own), at: .zero) == [
                Self.send(own.encoded(for: .both), to: [Self.left, Self.right, Self.far])
            ]
        )
        #expect(
            router.handle(.received(Self.bytes(own), from: Self.left), at: .zero) == [
                .drop(.known, from: Self.left)
            ]
        )
        #expect(router.counters.originated == 1 && router.counters.relayed == 0)
    }

    @Test func `takes what is for it, and sends it to nobody`() {
        var router = Self.router()
        let packet = Self.packet(to: "me#1")
        #expect(
            router.handle(.received(Self.bytes(packet), from: Self.left), at: .zero) == [
                .deliver(packet, from: Self.left)
            ]
        )
        #expect(router.queuedCount == 0)
    }

    @Test func `sends an acknowledgement the way that its message came`() {
        var router = Self.router()
        _ = router.handle(.received(Self.bytes(Self.packet()), from: Self.left), at: .zero)
        let acknowledgement = Self.bytes(Self.receipt(.received(7)))
        #expect(
            router.handle(.received(acknowledgement, from: Self.far), at: .zero) == [
                Self.send(acknowledgement, to: [Self.left])
            ]
        )
        // That neighbour has left: whoever is there may know another way.
        _ = router.handle(
            .received(Self.bytes(Self.packet(9)), from: Self.left),
            at: .zero
        )
        _ = router.handle(.left(Self.left), at: .zero)
        let second = Self.bytes(Self.receipt(.received(9), id: 10))
        #expect(
            router.handle(.received(second, from: Self.far), at: .zero) == [
                Self.send(second, to: [Self.right])
            ]
        )
        // What was read goes to all.
        let read = Self.bytes(Self.receipt(.read([7, 9]), id: 11))
        #expect(
            router.handle(.received(read, from: Self.far), at: .zero) == [
                Self.send(read, to: [Self.right])
            ]
        )
    }

    @Test func `keeps packets for who comes later, 15 minutes long`() {
        var router = Self.router([])
        let own = Self.packet(1, from: "me#1")
        #expect(router.handle(.originated(own), at: .zero).isEmpty)
        let relayed = Self.bytes(Self.packet(2))
        #expect(router.handle(.received(relayed, from: Self.left), at: .seconds(300)).isEmpty)
        #expect(
            router.handle(.joined(Self.left), at: .seconds(400)) == [
                Self.send(own.encoded(for: .both), to: [Self.left])
            ]
        )
        // Twice is once.
        #expect(router.handle(.joined(Self.left), at: .seconds(400)).isEmpty)
        #expect(
            router.handle(.joined(Self.right), at: .seconds(899)).count == 2
        )
        #expect(
            router.handle(.joined(Self.far), at: .seconds(900)) == [
                Self.send(relayed, to: [Self.far])
            ]
        )
        #expect(router.counters.replayed == 4)
        #expect(router.handle(.joined(NeighbourID(9)), at: .seconds(1_200)).isEmpty)
        #expect(router.queuedCount == 0)
    }

    @Test func `keeps a message no longer than until it has come`() {
        var router = Self.router()
        _ = router.handle(.received(Self.bytes(Self.packet()), from: Self.left), at: .zero)
        for (id, stranger) in [(20 as Int32, "c#1"), (21, "a#1")] {
            let forged = Self.receipt(.received(7), id: id, from: stranger)
            _ = router.handle(.received(Self.bytes(forged), from: Self.left), at: .zero)
        }
        #expect(router.queuedCount == 3)
        let acknowledgement = Self.receipt(.received(7))
        _ = router.handle(.received(Self.bytes(acknowledgement), from: Self.right), at: .zero)
        // The three receipts are kept, as their receiver may be away.
        #expect(router.queuedCount == 3)
        let resent = router.handle(.joined(NeighbourID(9)), at: .zero)
        #expect(!resent.contains(Self.send(Self.bytes(Self.packet()), to: [NeighbourID(9)])))
    }

    @Test func `takes 60 packets a minute from a neighbour, and 30 of a sender by each`() {
        var router = Self.router()
        func count(_ neighbour: NeighbourID, _ now: Duration, _ sender: (Int32) -> String) -> Int {
            (0..<100).count { number in
                let packet = Self.packet(
                    Int32(now.components.seconds) * 1_000 + Int32(number),
                    from: sender(Int32(number))
                )
                let effects = router.handle(
                    .received(Self.bytes(packet), from: neighbour),
                    at: now
                )
                if case .send = effects.first { return true }
                return false
            }
        }
        // One neighbour under many names.
        #expect(count(Self.left, .zero) { "x\($0)#1" } == 60)
        #expect(count(Self.left, .seconds(59)) { "y\($0)#1" } == 0)
        #expect(count(Self.left, .seconds(60)) { "z\($0)#1" } == 60)
        // One sender by several neighbours: one of them may only claim to have it from there.
        #expect(count(Self.right, .seconds(200)) { _ in "w#1" } == 30)
        #expect(count(Self.far, .seconds(210)) { _ in "w#1" } == 30)
        // What was too much of one is not taken from the others.
        #expect(count(Self.right, .seconds(220)) { "v\($0)#1" } == 30)
        #expect(
            router.counters.dropped == [.neighbourRate: 40 + 100 + 40 + 70, .senderRate: 70 + 70]
        )
    }

    @Test(arguments: [
        "", "{}", #"{"id":7,"kind":9,"sender":"a","receiver":"b","text":""}"#,
        #"{"id":7,"kind":1,"sender":"a","receiver":"b","text":"ACK/x"}"#,
        #"{"id":7,"kind":2,"sender":"a","receiver":"me#1","text":"READ/1/9999999999/"}"#,
        #"{"id":7,"kind":1,"sender":"a","receiver":"me#1","text":"READ/1/"}"#,
    ])
    func `drops what is no packet`(text: String) {
        var router = Self.router()
        #expect(
            router.handle(.received(Array(text.utf8), from: Self.left), at: .zero) == [
                .drop(.malformed, from: Self.left)
            ]
        )
        #expect(router.counters.dropped == [.malformed: 1] && router.queuedCount == 0)
    }

    /// Whoever sends it many packets must not keep its own from who comes later.
    @Test func `keeps its own rather than others'`() {
        var limits = RelayLimits()
        limits.queueCount = 3
        var router = Self.router([], limits: limits)
        func relay(_ id: Int32) {
            let bytes = Self.bytes(Self.packet(id, from: "x#1"))
            _ = router.handle(.received(bytes, from: Self.left), at: .zero)
        }
        func originate(_ id: Int32) {
            _ = router.handle(.originated(Self.packet(id, from: "me#1")), at: .zero)
        }
        func kept() -> [Int32] {
            defer { _ = router.handle(.left(Self.far), at: .zero) }
            return router.handle(.joined(Self.far), at: .zero).map { effect in
                if case .send(let packet, _) = effect { packet.packet.id } else { -1 }
            }
        }
        originate(1)
        for id in 11...14 as ClosedRange<Int32> { relay(id) }
        #expect(kept() == [1, 13, 14])
        originate(2)
        originate(3)
        relay(15)
        #expect(kept() == [1, 2, 3])
        originate(4)
        #expect(kept() == [2, 3, 4])
    }

    /// There may be room when it comes again.
    @Test func `drops what it can neither send on nor keep`() {
        var limits = RelayLimits()
        limits.queueCount = 1
        var router = Self.router([Self.left], limits: limits)
        _ = router.handle(.originated(Self.packet(1, from: "me#1")), at: .zero)
        let bytes = Self.bytes(Self.packet(2))
        for count in 1...2 {
            #expect(
                router.handle(.received(bytes, from: Self.left), at: .zero) == [
                    .drop(.noRoom, from: Self.left)
                ]
            )
            #expect(router.counters.dropped == [.noRoom: count] && router.counters.relayed == 0)
        }
        // Somebody else is there, and takes it.
        _ = router.handle(.joined(Self.right), at: .zero)
        #expect(
            router.handle(.received(bytes, from: Self.left), at: .zero) == [
                Self.send(bytes, to: [Self.right])
            ]
        )
        #expect(router.counters.received == 3 && router.counters.relayed == 1)
    }

    @Test func `remembers and keeps no more than it may`() {
        var limits = RelayLimits()
        limits.seenCount = 100
        limits.queueCount = 10
        limits.routeCount = 5
        limits.rateCount = 20
        limits.neighbourRate = .max
        var router = Self.router(limits: limits)
        for number in 0..<10_000 {
            let packet = Self.packet(Int32(number), from: "x\(number)#1")
            _ = router.handle(.received(Self.bytes(packet), from: Self.left), at: .zero)
            #expect(router.queuedCount <= 10)
        }
        #expect(router.counters.relayed == 10_000)
        #expect(router.rememberedCount <= 100 + 5 + 20 + 20)
        // What was forgotten is taken once more; what came last is known.
        for (number, isKnown) in [(0, false), (9_999, true)] {
            let packet = Self.packet(Int32(number), from: "x\(number)#1")
            let effects = router.handle(
                .received(Self.bytes(packet), from: Self.right),
                at: .zero
            )
            #expect((effects == [.drop(.known, from: Self.right)]) == isKnown)
        }
    }
}
