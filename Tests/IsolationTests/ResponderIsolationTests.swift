import BLE
import Testing

/// This target's settings are those of a new package, not those of the libraries.
@Suite struct ResponderIsolationTests {
    @MainActor
    private final class Form: GATTResponder {
        private var value: [UInt8] = []
        private(set) var eventCount = 0

        func read(
            _ characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) -> [UInt8] {
            MainActor.preconditionIsolated()
            return value
        }

        func write(
            _ value: [UInt8],
            to characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) {
            MainActor.preconditionIsolated()
            guard value.count <= 4 else { throw .invalidValueLength }
            self.value = value
        }

        func handle(_ event: PublicationEvent) async {
            MainActor.preconditionIsolated()
            eventCount += 1
        }
    }

    private actor Cell: GATTResponder {
        private var value: [UInt8] = []
        private(set) var eventCount = 0

        func read(
            _ characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) -> [UInt8] {
            preconditionIsolated()
            return value
        }

        func write(
            _ value: [UInt8],
            to characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) {
            preconditionIsolated()
            guard value.count <= 4 else { throw .invalidValueLength }
            self.value = value
        }

        func handle(_ event: PublicationEvent) async {
            preconditionIsolated()
            eventCount += 1
        }
    }

    private final class Constant: GATTResponder {
        func read(
            _ characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) -> [UInt8] { [1, 2] }

        func write(
            _ value: [UInt8],
            to characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) {
            guard value.count <= 4 else { throw .invalidValueLength }
        }

        func handle(_ event: PublicationEvent) async {}
    }

    private let uuid = AttributeID(
        service: "8E38140A-27BE-4090-8955-4FC4B5698D1E",
        characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )
    private let request = GATTRequest(central: PeerID(rawValue: "asker"), mtuBytes: 23)

    /// What a responder does, as a radio calls it.
    private func check(_ responder: any GATTResponder) async throws {
        try await responder.write([1, 2], to: uuid, request)
        #expect(try await responder.read(uuid, request) == [1, 2])
        await #expect(throws: ATTError.invalidValueLength) {
            try await responder.write([1, 2, 3, 4, 5], to: uuid, request)
        }
        await responder.handle(.subscribed(uuid, nil))
    }

    @Test("A main-actor responder is called on the main actor")
    func mainActor() async throws {
        let form = Form()
        try await check(form)
        #expect(await form.eventCount == 1)
    }

    @Test("An actor that responds is called on itself")
    func actor() async throws {
        let cell = Cell()
        try await check(cell)
        #expect(await cell.eventCount == 1)
    }

    @Test("A class without isolation responds")
    func plainClass() async throws {
        try await check(Constant())
    }
}
