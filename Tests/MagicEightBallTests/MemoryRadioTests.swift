import BLE
import BLETesting
import MagicEightBall
import Testing

/// Both roles over radios in memory, as an app's own tests have them; the first one stands in TestingYourApp.md.
@Suite("Over radios in memory a question", .timeLimit(.minutes(10)))
struct MemoryRadioTests {
    /// Limits that a busy machine does not reach.
    static let timeouts = Timeouts(
        discovery: .seconds(60),
        connection: .seconds(60),
        resolution: .seconds(60),
        subscription: .seconds(60),
        acceptance: .seconds(60),
        answer: .seconds(120),
        radio: .seconds(60)
    )

    @Test(arguments: 0..<20) func `is answered in whatever order`(seed: UInt64) async throws {
        let air = MemoryAir(seed: seed)
        let ball = EightBallPeripheral(
            radio: await air.radio("Table"),
            name: "Oracle",
            answers: .fixed(Answer(.itIsCertain))
        )
        try await ball.start()
        let central = EightBallCentral(radio: await air.radio("Phone"), timeouts: Self.timeouts)
        try await central.start()
        let found = try await central.discoverDevice { $0.name == "Oracle" }
        let answer = try await central.ask(Question("Will it rain?"), of: found)
        #expect(answer.stock == .itIsCertain)
        await central.stop()
        await ball.stop()
    }

    @Test func `fails when the connection is cut`() async throws {
        let air = MemoryAir()
        let (phone, table) = (await air.radio("Phone"), await air.radio("Table"))
        let ball = EightBallPeripheral(radio: table, name: "Oracle", answers: .manual)
        var events = await ball.events.makeAsyncIterator()
        try await ball.start()
        let central = EightBallCentral(radio: phone, timeouts: Self.timeouts)
        try await central.start()
        let found = try await central.discoverDevice { $0.name == "Oracle" }
        let asking = Task { try await central.ask(Question("Will it rain?"), of: found) }
        while let event = await events.next() {
            if case .received = event { break }
        }
        await air.simulateDisconnection(between: phone, and: table)
        await #expect { _ = try await asking.value } throws: {
            ($0 as? EightBallError)?.code == .deviceOffline
        }
        await central.stop()
        await ball.stop()
    }

    @Test func `of the first series is asked without a response`() async throws {
        let air = MemoryAir()
        let ball = EightBallPeripheral(
            radio: await air.radio("Table"),
            name: "Oracle",
            answers: .fixed(try Answer("Later.")),
            servesFirstSeries: true
        )
        try await ball.start()
        let phone = await air.radio("Phone")
        let question = AttributeID(
            service: "8E38140A-27BE-4090-8955-4FC4B5698D1E",
            characteristic: "BDD37D7A-F66A-47B9-A49C-FE29FD235A77"
        )
        let answer = AttributeID(
            service: question.service,
            characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
        )
        for try await case .seen(let sighting) in try await phone.scan(
            ScanFilter(service: question.service)
        ) {
            let link = try await phone.connect(to: sighting.peer)
            _ = try await link.discoverServices()
            try await link.writeWithoutResponse(Array("Well?".utf8), to: question)
            for try await value in try await link.notifications(of: answer) {
                #expect(value == Array("Later.".utf8))
                break
            }
            await link.disconnect()
            break
        }
        await ball.stop()
    }
}
