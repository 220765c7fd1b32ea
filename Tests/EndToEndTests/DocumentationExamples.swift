import BLEDBusTesting
import BlueZ
import MagicEightBall
import Testing
import VirtualBlueZ

// The examples of TestingYourApp.md in MagicEightBall.docc.

/// What the app is about: an oracle is asked, and its answer becomes advice.
private func advice(over radio: Adapter) async throws -> String {
    let central = EightBallCentral(radio: radio)
    try await central.start()
    let ball = try await central.discoverDevice { $0.name == "Oracle" }
    let answer = try await central.ask(Question("Will it rain?"), of: ball)
    await central.stop()
    return answer.stock?.kind == .affirmative ? "Take an umbrella." : "Go."
}

@Suite("An app", .timeLimit(.minutes(10)))
struct AppTests {
    @Test func `advises what the ball says`() async throws {
        let bus = try PrivateBus()
        let bluez = try await VirtualDaemon.start(on: bus.address)
        let radio = try await Adapter.open("hci0", onBusAt: bus.address)
        let ballRadio = try await Adapter.open("hci1", onBusAt: bus.address)
        let ball = EightBallPeripheral(
            radio: ballRadio,
            name: "Oracle",
            answers: .fixed(Answer(.itIsCertain))
        )
        try await ball.start()

        #expect(try await advice(over: radio) == "Take an umbrella.")
        await ball.stop()
        for adapter in [radio, ballRadio] { await adapter.close() }
        await bluez.stop()
    }

    @Test func `says that the ball is gone`() async throws {
        let bus = try PrivateBus()
        let bluez = try await VirtualDaemon.start(on: bus.address)
        let radio = try await Adapter.open("hci0", onBusAt: bus.address)
        let ballRadio = try await Adapter.open("hci1", onBusAt: bus.address)
        let ball = EightBallPeripheral(radio: ballRadio, name: "Oracle", answers: .manual)
        let accident = Accident { await bluez.simulateDisconnection(between: 0, and: 1) }
        await ball.addObserver(accident)
        try await ball.start()

        await #expect {
            try await advice(over: radio)
        } throws: { error in
            (error as? EightBallError)?.code == .deviceOffline
        }
        await ball.stop()
        for adapter in [radio, ballRadio] { await adapter.close() }
        await bluez.stop()
    }
}

/// Lets something happen when a question has come.
private final class Accident: PeripheralObserver {
    private let happen: @Sendable () async -> Void

    init(_ happen: @escaping @Sendable () async -> Void) {
        self.happen = happen
    }

    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {
        await happen()
    }
}
