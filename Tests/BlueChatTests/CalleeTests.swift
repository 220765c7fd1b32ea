import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("Who is called")
struct CalleeTests {
    private static let alice = PeerID(rawValue: "Alice")
    private static let bob = PeerID(rawValue: "Bob")
    private var callee = Callee()

    @Test mutating func `has the caller that the system names`() {
        #expect(callee.handle(.connected(Self.alice)) == [])
        #expect(callee.isFree)
        #expect(callee.handle(.subscribed(Self.alice)) == [.begin(Self.alice)])
        #expect(!callee.isFree)
        #expect(callee.isPrivate)
        #expect(callee.handle(.unsubscribed(Self.alice)) == [.end(Self.alice)])
        #expect(callee.isFree)
    }

    @Test mutating func `disconnects a second caller, who would be sent the texts`() {
        _ = callee.handle(.subscribed(Self.alice))
        #expect(callee.handle(.connected(Self.bob)) == [])
        #expect(callee.handle(.subscribed(Self.bob)) == [.disconnect(Self.bob)])
        #expect(!callee.isPrivate)
        #expect(callee.handle(.disconnected(Self.bob)) == [])
        #expect(callee.isPrivate)
        #expect(callee.caller == Self.alice)
    }

    @Test mutating func `has as caller the only central where the system names nobody`() {
        _ = callee.handle(.connected(Self.alice))
        #expect(callee.handle(.subscribed(nil)) == [.begin(Self.alice)])
        #expect(callee.isPrivate)
        _ = callee.handle(.connected(Self.bob))
        #expect(!callee.isPrivate)
        #expect(callee.handle(.disconnected(Self.alice)) == [.end(Self.alice)])
        // Who stays came for something else, or else writes.
        #expect(callee.caller == nil)
        #expect(callee.handle(.unsubscribed(nil)) == [])
    }

    @Test mutating func `waits until one is left, or writes`() {
        _ = callee.handle(.connected(Self.alice))
        _ = callee.handle(.connected(Self.bob))
        #expect(callee.handle(.subscribed(nil)) == [])
        var other = callee
        #expect(callee.handle(.disconnected(Self.alice)) == [.begin(Self.bob)])
        let (verdict, actions) = other.receiveText(of: Self.alice)
        #expect(verdict == .deliver)
        #expect(actions == [.begin(Self.alice)])
        #expect(!other.isPrivate)
    }

    @Test mutating func `takes texts of the caller alone`() {
        _ = callee.handle(.connected(Self.alice))
        #expect(callee.receiveText(of: Self.alice).0 == .notSubscribed)
        _ = callee.handle(.subscribed(Self.alice))
        #expect(callee.receiveText(of: Self.alice).0 == .deliver)
        let (verdict, actions) = callee.receiveText(of: Self.bob)
        #expect(verdict == .busy)
        #expect(actions == [.disconnect(Self.bob)])
    }

    @Test mutating func `disconnects others while this end calls, but for the one it calls`() {
        #expect(callee.handle(.calls(Self.alice)) == [])
        #expect(callee.handle(.subscribed(Self.bob)) == [.disconnect(Self.bob)])
        _ = callee.handle(.disconnected(Self.bob))
        #expect(callee.handle(.subscribed(Self.alice)) == [.begin(Self.alice)])
        #expect(callee.handle(.calls(nil)) == [])
        #expect(callee.caller == Self.alice)
    }

    @Test mutating func `has no caller once the service is gone`() {
        _ = callee.handle(.subscribed(Self.alice))
        #expect(callee.handle(.ended) == [.end(Self.alice)])
        #expect(callee.isFree)
        #expect(callee.handle(.ended) == [])
    }

    @Test mutating func `takes no notice of those that have shown that they are ours`() {
        _ = callee.handle(.connected(Self.bob))
        #expect(callee.handle(.isOurs(Self.bob)) == [])
        _ = callee.handle(.connected(Self.alice))
        #expect(callee.handle(.subscribed(nil)) == [.begin(Self.alice)])
        #expect(callee.isPrivate)
        // Whoever calls as an original cannot hide.
        #expect(callee.handle(.isOurs(Self.alice)) == [])
        #expect(callee.caller == Self.alice)
        _ = callee.handle(.disconnected(Self.bob))
        _ = callee.handle(.connected(Self.bob))
        #expect(!callee.isPrivate)
    }

    /// A callee, and what its actions say of it.
    private struct Watched {
        var callee = Callee()
        private(set) var caller: PeerID?
        let seed: UInt64

        init(seed: UInt64) { self.seed = seed }

        mutating func handle(_ event: Callee.Event) {
            let actions = callee.handle(event)
            take(actions)
        }

        mutating func receiveText(of peer: PeerID) {
            let (verdict, actions) = callee.receiveText(of: peer)
            take(actions)
            #expect((verdict == .deliver) == (caller == peer), "seed \(seed)")
        }

        private mutating func take(_ actions: [Callee.Action]) {
            for action in actions {
                switch action {
                case .begin(let peer):
                    #expect(caller == nil, "seed \(seed)")
                    caller = peer
                case .end(let peer):
                    #expect(caller == peer, "seed \(seed)")
                    caller = nil
                case .disconnect(let peer):
                    #expect(caller != peer, "seed \(seed)")
                }
            }
            #expect(callee.caller == caller, "seed \(seed)")
        }
    }

    /// Begin and end take turns, nobody is both caller and disconnected, and the end of all frees it.
    @Test func `keeps its books in any order of events`() async {
        let peers = ["A", "B", "C"].map { PeerID(rawValue: $0) }
        for seed in 0..<10_000 as Range<UInt64> {
            if seed % 100 == 0 { await Task.yield() }
            var random = SeededGenerator(seed: seed)
            var watched = Watched(seed: seed)
            let isNamed = Bool.random(using: &random)
            for _ in 0..<Int.random(in: 1...40, using: &random) {
                let peer = peers[Int.random(in: 0..<3, using: &random)]
                switch Int.random(in: 0..<8, using: &random) {
                case 0: watched.handle(.connected(peer))
                case 1: watched.handle(.disconnected(peer))
                case 2: watched.handle(.subscribed(isNamed ? peer : nil))
                case 3: watched.handle(.unsubscribed(isNamed ? peer : nil))
                case 4: watched.handle(.calls(Bool.random(using: &random) ? peer : nil))
                case 5: watched.receiveText(of: peer)
                case 6: watched.handle(.isOurs(peer))
                default:
                    if Int.random(in: 0..<8, using: &random) == 0 { watched.handle(.ended) }
                }
            }
            watched.handle(.calls(nil))
            watched.handle(.ended)
            #expect(watched.callee.isFree && watched.caller == nil, "seed \(seed)")
        }
    }
}
