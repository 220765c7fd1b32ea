import BLE
import BLEDBus
import BLELocking

/// A ball as the original app is one: the plain pair alone; nothing of the SDK is in it.
final class OriginalBall: GATTResponder {
    static let service: BluetoothUUID = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
    static let question = AttributeID(
        service: service,
        characteristic: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
    )
    static let answer = AttributeID(
        service: service,
        characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )

    let name: String
    private let radio: CountedRadio
    private let clock: VirtualClock
    private let publication = Locked((any Publication)?.none)

    init(_ name: String, radio: CountedRadio, clock: VirtualClock) {
        self.name = name
        self.radio = radio
        self.clock = clock
    }

    /// Is there whenever the radio is on, until the radio is closed.
    func run() async {
        for await state in await radio.states() where state == .on {
            guard publication.withLock({ $0 == nil }) else { continue }
            do {
                let new = try await publish()
                publication.withLock { $0 = new }
            } catch {
                // The radio has gone in the meantime; it is published when that is back.
            }
        }
    }

    private func publish() async throws -> any Publication {
        try await radio.publish(
            GATTService(
                uuid: Self.service,
                characteristics: [
                    GATTCharacteristic(uuid: Self.question.characteristic, properties: .write),
                    GATTCharacteristic(
                        uuid: Self.answer.characteristic,
                        properties: [.read, .notify]
                    ),
                ]
            ),
            advertising: Advertisement(localName: name, serviceUUIDs: [Self.service]),
            responder: self
        )
    }

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] { [] }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        let text = String(decoding: value, as: UTF8.self)
        switch QuestionKind(of: text) {
        case .statement, .refused, .unwanted: throw .unlikelyError
        case .failing: return
        case .now: Task { await answer(text) }
        case .late, .leaving:
            Task {
                let delay = QuestionKind.delay(of: text, atMost: .milliseconds(1500))
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                await answer(text)
            }
        }
    }

    private func answer(_ text: String) async {
        do {
            let value = Array(QuestionKind.answer(to: text).utf8)
            try await publication.withLock { $0 }?.update(Self.answer, to: value)
        } catch {
            // The radio has gone; whoever asked hears it from there.
        }
    }

    func handle(_ event: PublicationEvent) async {
        if case .ended = event { publication.withLock { $0 = nil } }
    }
}
