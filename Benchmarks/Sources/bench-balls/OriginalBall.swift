import BLE
import BlueZ
import Glibc

/// A ball as the original app is one: the plain pair alone. It answers each question at once.
actor OriginalBall: GATTResponder {
    private static let service: BluetoothUUID = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
    private static let question = AttributeID(
        service: service,
        characteristic: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
    )
    private static let answer = AttributeID(
        service: service,
        characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )

    private var publication: (any Publication)?

    /// Is there under a name, for as long as the program runs.
    func publish(_ name: String, on radio: Adapter) async throws {
        publication = try await radio.publish(
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

    /// Accepts every question; the answer follows.
    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        Task { await answer() }
    }

    private func answer() async {
        do {
            try await publication?.update(Self.answer, to: Array("SLUG-ANSWER-08".utf8))
        } catch {
            print("bench-balls: \(error)")
            exit(1)
        }
    }
}
