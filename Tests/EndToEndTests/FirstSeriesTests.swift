import BLE
import BLEDBus
import BlueZ
import Foundation
import Testing

/// As apps of the original's first series are, over a radio of ours.
@Suite("The first series, end to end", .timeLimit(.minutes(10)))
struct FirstSeriesTests {
    private static let service: BluetoothUUID = "8E38140A-27BE-4090-8955-4FC4B5698D1E"
    private static let question = AttributeID(
        service: service,
        characteristic: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
    )
    private static let answer = AttributeID(
        service: service,
        characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
    )

    /// Takes writes without a response alone, and answers each.
    private actor EarlyBall: GATTResponder {
        private var publication: (any Publication)?

        func didPublish(_ publication: any Publication) { self.publication = publication }

        func write(
            _ value: [UInt8],
            to characteristic: AttributeID,
            _ request: GATTRequest
        ) async throws(ATTError) {
            do {
                try await publication?.update(FirstSeriesTests.answer, to: Array("Yes.".utf8))
            } catch {
                throw .unlikelyError
            }
        }
    }

    @Test func `has balls that are asked`() async throws {
        try await check { world in
            let radio = try await Adapter.open("hci1", onBusAt: world.bus.rawValue)
            let publication = try await radio.publish(
                GATTService(
                    uuid: Self.service,
                    characteristics: [
                        GATTCharacteristic(
                            uuid: Self.question.characteristic,
                            properties: .writeWithoutResponse
                        ),
                        GATTCharacteristic(
                            uuid: Self.answer.characteristic,
                            properties: [.read, .notify]
                        ),
                    ]
                ),
                advertising: Advertisement(localName: "Early", serviceUUIDs: [Self.service]),
                responder: EarlyBall()
            )
            let outcome = try await world.ask("Will it rain?")
            #expect(outcome.lines == ["Yes."], "\(outcome)")
            await publication.withdraw()
            await radio.close()
        }
    }

    @Test func `asks, looks at the properties first, and subscribes after its question`()
        async throws
    {
        try await check { world in
            for isServed in [false, true] {
                let options = isServed ? ["--first-series"] : []
                let arguments = ["--adapter", "hci1", "--json", "--answer", "Yes."] + options
                let ball = try Tool("eightball-answer", arguments, bus: world.bus.rawValue)
                try await ball.line(with: #""event":"advertising""#)
                let radio = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
                let peer = try await expected("a ball that is seen, served \(isServed)") {
                    for try await case .seen(let sighting) in try await radio.scan(
                        ScanFilter(service: Self.service)
                    ) {
                        return sighting.peer
                    }
                    throw CancellationError()
                }
                let link = try await expected("a connection to it") {
                    try await radio.connect(to: peer)
                }
                let services = try await expected("its services") {
                    try await link.discoverServices()
                }
                let properties = services[Self.question]?.properties
                #expect(properties?.contains(.writeWithoutResponse) == isServed)
                if isServed {
                    try await link.writeWithoutResponse(Array("Well?".utf8), to: Self.question)
                    let values = try await expected("a subscription") {
                        try await link.notifications(of: Self.answer)
                    }
                    let answer = try await expected("an answer") {
                        for try await value in values { return value }
                        throw CancellationError()
                    }
                    #expect(answer == Array("SLUG-ANSWER-08".utf8))
                }
                await link.disconnect()
                await radio.close()
                // A peer whose services go while it is connected is not seen by a scan for them: bluetoothd
                // shows those that it had last, until it forgets the device.
                try await ball.line(with: #""event":"disconnected""#)
                ball.send(SIGINT)
                _ = await ball.end()
            }
        }
    }
}
