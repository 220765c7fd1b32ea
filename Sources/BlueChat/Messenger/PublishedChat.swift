internal import BLE

/// The service while it is published, and its advertisement.
struct PublishedChat: Sendable {
    /// Events of another publication are dropped.
    let number: Int
    var publication: (any Publication)?
    var advertising: (any Advertising)?
    /// What the advertisement is: as it is to be, once what is under way is done.
    var isAdvertising = true
    /// Whether that is being done.
    var isUpdating = false
    /// The end, which the system may tell before the publication is there.
    let end = Promise<Void>()
}

/// Hands requests of centrals to a messenger.
struct ChatResponder: PromptResponder {
    private let messenger: WeakMessenger
    private let number: Int

    init(_ messenger: Messenger, _ number: Int) {
        self.messenger = WeakMessenger(messenger)
        self.number = number
    }

    func didPublish(_ publication: any Publication) async {
        await messenger.value?.didPublish(publication, number)
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        // Texts are indicated to the caller alone; nothing is kept for whoever reads.
        guard characteristic == ChatService.fromCallee else { return [] }
        return try await messenger.value?.sessionValue(request, number) ?? []
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        guard let messenger = messenger.value else { throw .unlikelyError }
        guard request.offset == 0 else { throw .invalidOffset }
        if characteristic == ChatService.fromCaller {
            try await messenger.receiveSessionValue(value, request, number)
        } else {
            try await messenger.receive(value, request, number)
        }
    }

    func handle(_ event: PublicationEvent) async {
        await messenger.value?.handle(event, of: number)
    }
}

/// A messenger that its publication does not keep.
private final class WeakMessenger: Sendable {
    weak let value: Messenger?

    init(_ value: Messenger) {
        self.value = value
    }
}
