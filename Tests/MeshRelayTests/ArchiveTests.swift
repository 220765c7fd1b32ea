import BLE
import BLETesting
import Testing

@testable import MeshRelay

@Suite("Nodes with an archive", .timeLimit(.minutes(10)))
struct ArchiveTests {
    /// A disk that is full at first, and slow.
    private actor Archive: RelayArchive {
        private let isFull = Promise<Void>()
        private var callCount = 0
        private(set) var kept: [String] = []

        func fail() { isFull.fulfil() }

        func keep(_ message: RelayMessage) async throws -> Bool {
            callCount += 1
            if callCount == 1 {
                try await isFull.wait()
                throw RelayError(.full, "the disk is full")
            }
            kept.append(message.text)
            return true
        }

        func keepDelivery(of id: Int32, to contact: RelayAddress) {}

        func keepReading(of ids: [Int32], by contact: RelayAddress) {}
    }

    /// Its sender sends it anew, with another nonce, and both wait to be kept.
    @Test func `acknowledge no message that is not kept, though it comes twice`() async throws {
        let scene = RelayScene()
        let archive = Archive()
        let alice = try await scene.member("alice")
        let bob = try await scene.member("bobby", archive: archive)
        try await alice.node.add(bob.node.link)
        try await bob.node.add(alice.node.link)
        try await scene.pass {
            for member in [alice, bob] { try await member.node.start() }
            for count in 1...2 {
                try await alice.node.send("Hi", to: bob.node.address, id: 7)
                while await bob.node.counters.delivered < count { await Task.yield() }
            }
            await archive.fail()
            for await case .notKept in bob.events { break }
            try await alice.node.send("Hi", to: bob.node.address, id: 7)
            #expect(try await bob.nextMessage().id == 7)
            try await alice.waitForDelivery(of: 7)
        }
        #expect(await archive.kept == ["Hi"])
        // The acknowledgement of the one that is kept.
        #expect(await bob.node.counters.originated == 1)
        try await scene.stop([alice, bob])
    }
}
