import BLE
import BLETesting
import Testing

@testable import BlueChat

/// Messengers on radios in memory.
final class ChatScene: Sendable {
    let air: MemoryAir
    let clock = ManualClock()
    let alice: Messenger
    let bob: Messenger
    let aliceRadio: MemoryRadio
    let bobRadio: MemoryRadio

    init(
        seed: UInt64? = nil,
        mtuBytes: Int = 185,
        isOriginal: Bool = true,
        archives: (alice: any ChatArchive, bob: any ChatArchive)? = nil,
        features: RadioCapabilities.Features? = nil
    ) async throws {
        air = MemoryAir(seed: seed, clock: clock)
        var configuration = MemoryRadio.Configuration()
        configuration.mtuBytes = mtuBytes
        if let features { configuration.features = features }
        aliceRadio = await air.radio("Alice's", configuration)
        bobRadio = await air.radio("Bob's", configuration)
        alice = Messenger(
            radio: aliceRadio,
            name: try ChatName("Alice"),
            isOriginal: isOriginal,
            archive: archives?.alice,
            clock: clock
        )
        bob = Messenger(
            radio: bobRadio,
            name: try ChatName("Bob"),
            isOriginal: isOriginal,
            archive: archives?.bob,
            clock: clock
        )
    }

    func start() async throws {
        try await alice.start()
        try await bob.start()
    }

    /// Lets Alice start, and Bob's radio advertise a chat that lacks characteristics.
    func startWithIncompleteBob() async throws -> any Publication {
        try await alice.start()
        let service = GATTService(
            uuid: ChatService.uuid,
            characteristics: [
                GATTCharacteristic(uuid: ChatService.toCallee.characteristic, properties: .write)
            ]
        )
        return try await bobRadio.publish(
            service,
            advertising: Advertisement(localName: "Bob", serviceUUIDs: [ChatService.uuid]),
            responder: SilentResponder()
        )
    }

    /// Does something while time passes.
    func pass<Result: Sendable>(
        while work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await clock.run(while: work)
    }

    /// A chat, as both have it.
    func call(_ events: AsyncStream<ChatEvent>) async throws -> (Chat, Chat) {
        let called = try await alice.call(bobRadio.peer)
        return (called, try await events.nextChat())
    }

    /// The chat of two that call each other, as both have it.
    func callEachOther() async throws -> (Chat, Chat) {
        try await pass {
            async let one = self.alice.call(self.bobRadio.peer)
            async let other = self.bob.call(self.aliceRadio.peer)
            return (try await one, try await other)
        }
    }
}

extension AsyncStream<ChatEvent> {
    /// The next chat that begins.
    func nextChat() async throws -> Chat {
        for await case .began(let chat) in self { return chat }
        throw CancellationError()
    }

    /// The next text.
    func nextText() async throws -> String {
        for await case .received(let text, _) in self { return text }
        throw CancellationError()
    }

    /// The next message of an encrypted chat.
    func nextMessage() async throws -> ChatMessage {
        for await case .receivedMessage(let message, _) in self { return message }
        throw CancellationError()
    }

    /// How the next chat that ends does so.
    func nextEnd() async throws -> ChatError.Code? {
        for await case .ended(_, let error) in self { return error?.code }
        throw CancellationError()
    }
}

/// Expects an error with a code.
func expectFailure(
    _ code: ChatError.Code,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("nothing failed", sourceLocation: sourceLocation)
    } catch let error as ChatError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(error)", sourceLocation: sourceLocation)
    }
}

/// Nobody reads or writes anything.
private struct SilentResponder: GATTResponder {}
