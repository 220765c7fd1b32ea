import BLE
import BLELocking
import Logging
import Testing

@testable import MagicEightBall

@Suite("The logs")
struct LoggingTests {
    /// Keeps what is logged, a line for each.
    private final class Log: Sendable {
        private let entries = Locked<[String]>([])

        var lines: [String] { entries.withLock { $0 } }

        func note(_ line: String) { entries.withLock { $0.append(line) } }

        var logger: Logger {
            var logger = Logger(label: "test") { _ in Handler(log: self) }
            logger.logLevel = .trace
            return logger
        }
    }

    private struct Handler: LogHandler {
        let log: Log
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let values = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            log.note(
                ([event.level.rawValue, event.message.description] + values).joined(separator: " ")
            )
        }
    }

    private let question = Question(received: "Is it a secret?")
    private let error = EightBallError(.radioOff, "no power")
    private let closed = EightBallError(.stopped, "the radio was closed")

    @Test func `of a ball tell states, losses and failures, and no question`() throws {
        let log = Log()
        let ball = EightBallPeripheral(radio: ScriptedPeripheralRadio(), name: "Ball")
        let asker = ConnectedAsker(id: PeerID(rawValue: "A"), ball: ball)
        let events: [PeripheralEvent] = [
            .radioBecame(.off), .startedAdvertising, .stoppedAdvertising(nil),
            .stoppedAdvertising(error), .connected(asker), .disconnected(asker),
            .received(question, from: asker), .queued(question, of: asker, place: 2),
            .sent(Answer(.yes), to: question, of: asker),
            .delivered(Answer(.yes), to: question, of: asker),
            .rejectedQuestion(of: asker, .tooLong),
            .failedToAnswer(question, of: asker, error), .failed(error), .failed(closed),
        ]
        for event in events { event.log(to: log.logger) }
        #expect(
            log.lines == [
                "notice the radio is off", "notice advertising", "notice no longer advertising",
                "notice no longer advertising code=radioOff", "notice an asker connected peer=A",
                "notice an asker disconnected peer=A", "debug a question was accepted peer=A",
                "debug the question is number 2 to wait peer=A", "debug an answer was sent peer=A",
                "debug an answer was read peer=A",
                "info a question was refused: \(RejectionReason.tooLong) peer=A",
                "info a question ended without an answer code=radioOff peer=A",
                "warning no power code=radioOff", "notice the radio was closed code=stopped",
            ]
        )
    }

    @Test func `of a central tell balls, links and failures, and no question`() throws {
        let log = Log()
        let central = EightBallCentral(radio: ScriptedCentralRadio())
        let ball = DiscoveredBall(
            Sighting(peer: PeerID(rawValue: "B"), name: "Oracle", rssi: nil, serviceUUIDs: []),
            central: central
        )
        let events: [CentralEvent] = [
            .radioBecame(.on), .discovered(ball), .changed(ball), .lost(ball), .connected(ball),
            .disconnected(ball, nil), .disconnected(ball, error), .asked(question, of: ball),
            .answered(question, Answer(.yes), from: ball),
            .failedToAsk(question, of: ball, error), .failed(error),
        ]
        for event in events { event.log(to: log.logger) }
        #expect(
            log.lines == [
                "notice the radio is on", "notice a ball was discovered ball=Oracle peer=B",
                "notice a ball was lost ball=Oracle peer=B",
                "notice connected to a ball ball=Oracle peer=B",
                "notice disconnected from a ball ball=Oracle peer=B",
                "notice disconnected from a ball ball=Oracle code=radioOff peer=B",
                "debug a question was accepted ball=Oracle peer=B",
                "debug a question was answered ball=Oracle peer=B",
                "info a question ended without an answer ball=Oracle code=radioOff peer=B",
                "warning no power code=radioOff",
            ]
        )
    }

    @Test func `name the ball and its adapter`() async {
        let log = Log()
        let radio = Silent()
        let ball = EightBallPeripheral(radio: radio, name: "Ball", logger: log.logger)
        await ball.report(.startedAdvertising)
        let central = EightBallCentral(radio: radio, logger: log.logger)
        await central.report(.radioBecame(.off))
        #expect(
            log.lines == [
                "notice advertising adapter=hci7 ball=Ball", "notice the radio is off adapter=hci7",
            ]
        )
    }

    /// A radio that does nothing but to have a name.
    private struct Silent: CentralRadio, PeripheralRadio {
        let name = "hci7"
        let executor: any RadioExecutor = RadioQueue()
        var state: RadioState { get async { .on } }

        func states() async -> AsyncStream<RadioState> { AsyncStream { $0.finish() } }

        func scan(_ filter: ScanFilter) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
            throw RadioError(.off, "it only has a name")
        }

        func connect(
            to peer: PeerID,
            options: ConnectionOptions
        ) async throws -> any Link {
            throw RadioError(.off, "it only has a name")
        }

        func publish(
            _ services: [GATTService],
            advertising advertisement: Advertisement?,
            options: PublicationOptions,
            responder: any GATTResponder
        ) async throws -> any Publication {
            throw RadioError(.off, "it only has a name")
        }

        func advertise(_ advertisement: Advertisement) async throws -> any Advertising {
            throw RadioError(.off, "it only has a name")
        }
    }
}
