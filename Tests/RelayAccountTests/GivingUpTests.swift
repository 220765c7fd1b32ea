import BLE
import BLETesting
import MeshRelay
import Testing

@testable import RelayAccount

@Suite("What an account gives up", .timeLimit(.minutes(3)))
struct GivingUpTests {
    private let folder = TemporaryFolder()
    private let clock = ManualClock()

    /// As after a change of the user's name, or of the generation, or with another neighbour than it was written for.
    @Test func `fails at once when it does not fit, and why is told`() async throws {
        let store = try await folder.open()
        try await store.setAddress(try RelayAddress("alice#1234"))
        try await store.add(Person.bob)
        // More than a packet has room for beside the rest.
        let text = String(repeating: "x", count: 400)
        let contact = Person.bob.address
        _ = try await store.addOutgoing(text, id: 7, to: contact)
        let air = MemoryAir(clock: clock)
        let account = try await RelayAccount(
            store: store,
            radio: await air.radio("alice"),
            clock: clock
        )
        let events = await account.events
        let error = try await clock.run {
            try await account.start()
            for await case .failed(let id, let receiver, let error) in events {
                #expect(id == 7 && receiver == contact)
                return error
            }
            throw CancellationError()
        }
        #expect(error.code == .tooLong)
        #expect(try await store.messages(with: contact).map(\.status) == [.failed])
        try await clock.run { await account.stop() }
        await store.close()
    }
}
