import BLE
import MagicEightBall
import Testing

/// A started central on a scripted radio and a manual clock, with a recorder.
struct AskingScene {
    static let timeouts = Timeouts(
        discovery: .seconds(10),
        connection: .seconds(7),
        answer: .seconds(2),
        doubt: .seconds(3),
        thinking: .seconds(60),
        settling: .seconds(4),
        radio: .seconds(5),
        retry: .seconds(1)
    )

    let radio = ScriptedCentralRadio()
    let clock = ManualClock()
    let recorder = CentralRecorder()
    let central: EightBallCentral

    init() async throws {
        central = EightBallCentral(radio: radio, timeouts: Self.timeouts, clock: clock)
        await central.addObserver(recorder)
        try await central.start()
    }

    /// Lets a ball be discovered.
    func discover(_ name: String = "Ball") async throws -> any PeripheralDevice {
        await radio.sight(name)
        #expect(await recorder.next() == "discovered \(name)")
        return try #require(await central.devices.last)
    }

    /// Asks in a task of its own, so that the test can play the ball meanwhile.
    func ask(_ text: String, of ball: any PeripheralDevice) -> Task<Answer, any Error> {
        Task { try await central.ask(Question(text), of: ball) }
    }

    /// What a question failed with.
    func failure(
        of asking: Task<Answer, any Error>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> EightBallError? {
        await #expect(throws: EightBallError.self, sourceLocation: sourceLocation) {
            try await asking.value
        }
    }

    /// Takes the next request and compares it.
    func expect(
        _ kind: ScriptedRequest.Kind,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ScriptedRequest {
        let request = try #require(await radio.requests.next(), sourceLocation: sourceLocation)
        #expect(request.kind == kind, sourceLocation: sourceLocation)
        return request
    }

    func hear(_ line: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(await recorder.next() == line, sourceLocation: sourceLocation)
    }

    /// Grants what leads up to the write; returns the write, still without a reply.
    func reachWrite(of question: String, to name: String = "Ball") async throws -> ScriptedRequest {
        try await expect(.connect(PeerID(rawValue: name))).succeed()
        await hear("connected \(name)")
        try await expect(.subscribe).succeed()
        return try await expect(.write(Array(question.utf8)))
    }

    func notify(_ text: String, from name: String = "Ball") async {
        await notify(Array(text.utf8), from: name)
    }

    func notify(_ value: [UInt8], from name: String = "Ball") async {
        let answer = AttributeID(
            service: "8E38140A-27BE-4090-8955-4FC4B5698D1E",
            characteristic: "349A0D7B-6215-4E2C-A095-AF078D737445"
        )
        await radio.say(.notification(answer, value), from: name)
    }
}
