import BLE
import BLETesting

/// A publication of a ``ScheduledPeripheralRadio``.
///
/// Unchecked, as ``Scheduler``.
final class ScheduledPublication: Publication, @unchecked Sendable {
    typealias Call = @Sendable (any GATTResponder) async -> Void

    let number: Int
    private let radio: ScheduledPeripheralRadio
    private let calls: AsyncStream<Call>.Continuation
    /// It has neither been withdrawn nor ended.
    private(set) var isUp = true
    /// The SDK has taken it back, or is about to.
    var isGivenUp = false

    init(number: Int, radio: ScheduledPeripheralRadio, responder: any GATTResponder) {
        self.number = number
        self.radio = radio
        let (stream, calls) = AsyncStream.makeStream(of: Call.self)
        self.calls = calls
        // One at a time, in their order, as the port has it; ends with the publication.
        Task {
            for await call in stream { await call(responder) }
        }
    }

    /// Something comes from the air.
    func tell(_ call: @escaping Call) {
        if isUp { calls.yield(call) }
    }

    func end() {
        isUp = false
        calls.finish()
    }

    func update(_ characteristic: AttributeID, to value: [UInt8]) async throws {
        _ = try await radio.perform(.update(self, characteristic, value))
    }

    func indicate(_ characteristic: AttributeID, to value: [UInt8]) async throws -> Confirmation {
        .unconfirmed
    }

    func disconnect(_ central: PeerID) async throws {
        _ = try await radio.perform(.disconnect(self, central))
    }

    func withdraw() async {
        isGivenUp = true
        // A radio never refuses; only a cancelled caller does not wait for it.
        _ = try? await radio.perform(.withdraw(self))
    }
}
