internal import BLE

/// Hands a listener what centrals do.
struct ListenerResponder: PromptResponder {
    private let listener: WeakListener
    private let number: Int
    private let configuration: SocketConfiguration

    init(_ listener: SocketListener, _ number: Int, _ configuration: SocketConfiguration) {
        self.listener = WeakListener(listener)
        self.number = number
        self.configuration = configuration
    }

    func didPublish(_ publication: any Publication) async {
        await listener.value?.didPublish(publication, number)
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        throw .readNotPermitted
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        await listener.value?.receive(value, from: request.central, number)
    }

    func handle(_ event: PublicationEvent) async {
        switch event {
        case .disconnected(let central): await listener.value?.didDisconnect(central, number)
        case .ended(let error): await listener.value?.didEnd(error, number)
        // Frames that were lost are sent again; nobody is told alone, and each frame says whose it is.
        case .connected, .subscribed, .unsubscribed, .mtuChanged, .lostWrites,
            .individualNotificationsEnded:
            break
        }
    }
}

/// A listener that a publication does not keep.
private final class WeakListener: Sendable {
    weak let value: SocketListener?

    init(_ value: SocketListener) {
        self.value = value
    }
}
