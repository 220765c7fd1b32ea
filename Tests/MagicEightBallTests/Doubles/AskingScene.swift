import BLE
import BLETesting
import Logging
import Testing

@testable import MagicEightBall

/// A started central on a scripted radio and a manual clock, with a recorder.
struct AskingScene {
    static let timeouts = Timeouts(
        discovery: .seconds(10),
        loss: .seconds(100),
        connection: .seconds(7),
        resolution: .seconds(8),
        subscription: .seconds(11),
        acceptance: .seconds(12),
        answer: .seconds(2),
        privateAnswer: .seconds(14),
        question: .seconds(90),
        idleLink: .seconds(300),
        earlyAnswer: .seconds(3),
        thinking: .seconds(60),
        settling: .seconds(4),
        radio: .seconds(5),
        retry: .seconds(1)
    )

    let radio = ScriptedCentralRadio()
    let clock = ManualClock()
    let recorder = CentralRecorder()
    let central: EightBallCentral

    init(
        whenBusy: BusyPolicy = .giveUp,
        maximumQuestionCount: Int = 16,
        question: Duration = .seconds(90)
    ) async throws {
        var timeouts = Self.timeouts
        timeouts.question = question
        central = EightBallCentral(
            radio: radio,
            timeouts: timeouts,
            whenBusy: whenBusy,
            maximumQuestionCount: maximumQuestionCount,
            clock: clock,
            logger: .silent
        )
        await central.addObserver(recorder)
        try await central.start()
    }

    /// Lets a ball be discovered.
    func discover(_ name: String = "Ball") async throws -> any BallDevice {
        await radio.sight(name)
        #expect(await recorder.next() == "discovered \(name)")
        return try #require(await central.devices.last)
    }

    /// Asks in a task of its own, so that the test can play the ball meanwhile.
    func ask(_ text: String, of ball: any BallDevice) -> Task<Answer, any Error> {
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

    /// Lets all balls have the private pair, from the next link on.
    func servePrivately() async {
        let properties: [(String, CharacteristicProperties)] = [
            ("BDD37D7A-F66A-47B9-A49C-FE29FD235A77", .write),
            ("349A0D7B-6215-4E2C-A095-AF078D737445", [.read, .notify]),
            ("544DCF2D-80B8-443D-8ECF-24148A54E30C", .write),
            ("81D7C03F-CD6C-42E3-A494-A1800CFA129D", [.read, .notify]),
        ]
        let service = GATTService(
            uuid: "8E38140A-27BE-4090-8955-4FC4B5698D1E",
            characteristics: properties.compactMap { uuid, properties in
                BluetoothUUID(uuid).map { GATTCharacteristic(uuid: $0, properties: properties) }
            }
        )
        await radio.setServices([service])
    }

    /// Grants what leads up to the write of a private question.
    ///
    /// - Returns: the write, still without a reply, and the private question's tag.
    func reachPrivateQuestion(
        of question: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (write: ScriptedRequest, tag: [UInt8]) {
        try await expect(.subscribe, sourceLocation: sourceLocation).succeed()
        let write = try #require(await radio.requests.next(), sourceLocation: sourceLocation)
        guard case .write(let value) = write.kind else {
            throw UnexpectedRequest(kind: write.kind)
        }
        #expect(value.first == 1, sourceLocation: sourceLocation)
        #expect(Array(value.dropFirst(9)) == Array(question.utf8), sourceLocation: sourceLocation)
        return (write, Array(value[1..<9]))
    }

    /// Waits until nothing is under way for a ball.
    func becomeIdle(_ ball: any BallDevice) async {
        while await central.records[ball.id]?.isBusy == true { await Task.yield() }
    }

    struct UnexpectedRequest: Error {
        let kind: ScriptedRequest.Kind
    }

    /// Tells everybody a value of Reply.
    func tellReply(_ value: [UInt8], from name: String = "Ball") async {
        let reply = AttributeID(
            service: "8E38140A-27BE-4090-8955-4FC4B5698D1E",
            characteristic: "81D7C03F-CD6C-42E3-A494-A1800CFA129D"
        )
        await radio.say(.notification(reply, value), from: name)
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
