import BLE
import BLETesting
import MagicEightBall
import Testing

// The examples of MagicEightBall.docc and of the documentation comments.

private func askOnce(radio: any CentralRadio) async throws {
    let central = EightBallCentral(radio: radio)
    try await central.start()
    let ball = try await central.discoverDevice { _ in true }
    await central.stopScanning()
    let answer = try await central.ask(Question("Will it rain?"), of: ball)
    print(answer)
    await central.stop()
}

private func askOracle(radio: any CentralRadio) async throws {
    let central = EightBallCentral(radio: radio)
    try await central.start()
    let ball = try await central.discoverDevice { $0.name == "Oracle" }
    await central.stopScanning()
    let answer = try await central.ask(Question("Will it rain?"), of: ball)
    print(answer, answer.stock?.kind == .affirmative ? "Take an umbrella." : "")
    await central.stop()
}

private func askWhoeverComes(_ question: Question, through central: EightBallCentral) async {
    for await event in await central.events {
        switch event {
        case .discovered(let ball): await ball.sendQuestion(question)
        case .answered(_, let answer, let ball): print("\(ball.name): \(answer)")
        case .failed(let error): print(error)
        default: break
        }
    }
}

private func printEvents(of central: EightBallCentral) async {
    for await event in await central.events { print(event) }
}

private func printEvents(of ball: EightBallPeripheral) async {
    for await event in await ball.events { print(event) }
}

private func askNearest(_ question: Question, through central: EightBallCentral) async throws {
    let nearest = await central.snapshots.max { $0.smoothedRSSI < $1.smoothedRSSI }
    if let nearest { print(try await central.ask(question, of: nearest.device)) }
}

private func askHeld(_ ball: any BallDevice, _ question: Question, central: EightBallCentral)
    async throws
{
    try await ball.connect()
    let answer = try await central.ask(question, of: ball)
    await ball.disconnect()
    print(answer)
}

private func lookAround(with central: EightBallCentral) async throws {
    for try await ball in await central.discoveries(for: .seconds(10)) {
        print(ball.name)
    }
}

private func askStockQuestion(of ball: any BallDevice, through central: EightBallCentral)
    async throws
{
    let answer = try await central.ask(Question(.willItRain), of: ball)
    print(answer)
}

private func runBall(radio: any PeripheralRadio) async throws {
    let ball = EightBallPeripheral(radio: radio, name: "Oracle")
    try await ball.run()
}

private final class AnswerPrinter: CentralObserver {
    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async {
        print("\(device.name): \(answer)")
    }
}

private func sendQuestion(to ball: any BallDevice) async throws {
    let question = try Question("Will it rain?")
    await ball.sendQuestion(question)
}

private func explain(
    _ question: Question,
    central: any AskingCentral,
    ball: any BallDevice
) async throws {
    do {
        print(try await central.ask(question, of: ball))
    } catch let error as EightBallError where error.code == .rejected(.questionPlease) {
        print("Put a question mark at the end.")
    } catch let error as EightBallError where error.code == .rejected(.deviceBusy) {
        print("Somebody else is asking. Try again.")
    } catch let error as EightBallError {
        print(error.message)
    }
}

private func lookFar(radio: any CentralRadio) -> EightBallCentral {
    let central = EightBallCentral(
        radio: radio,
        rssiWindow: RSSI(-80)...RSSI(-20),
        timeouts: Timeouts(answer: .seconds(5))
    )
    return central
}

private func askSeveral(_ question: Question, central: any AskingCentral) async throws {
    let (answer, ball) = try await central.ask(question, ofAny: await central.devices)
    print("\(ball.name): \(answer)")

    for await response in central.ask(question, ofAll: await central.devices) {
        switch response.result {
        case .success(let answer): print("\(response.device.name): \(answer)")
        case .failure(let error): print("\(response.device.name) does not answer: \(error)")
        }
    }
}

private final class Watcher: CentralObserver {
    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        print("found", device.name)
    }

    func central(_ central: any AskingCentral, didChange device: any BallDevice) async {
        let strength = await device.smoothedRSSI.map { "\($0)" } ?? "unknown"
        print(device.name, strength, await device.isInRange ? "" : "far away")
    }

    func central(_ central: any AskingCentral, didLose device: any BallDevice) async {
        print("lost", device.name)
    }
}

private func limit(
    _ question: Question,
    central: any AskingCentral,
    ball: any BallDevice
) async throws {
    do {
        print(try await central.ask(question, of: ball))
    } catch let error as EightBallError where error.code.timedOutStage == .answering {
        print("The ball is still thinking.")
    } catch let error as EightBallError where error.code.timedOutStage != nil {
        print("Too slow: \(error.message)")
    }
}

private func wait(radio: any CentralRadio) -> [EightBallCentral] {
    let patient = EightBallCentral(
        radio: radio,
        timeouts: Timeouts(privateAnswer: .seconds(300), question: .seconds(360))
    )
    let stubborn = EightBallCentral(
        radio: radio,
        timeouts: Timeouts(answer: .seconds(20)),
        whenBusy: .retry(pause: .milliseconds(500))
    )
    return [patient, stubborn]
}

private func explainReasons(
    _ question: Question,
    central: any AskingCentral,
    ball: any BallDevice
) async throws {
    do {
        print(try await central.ask(question, of: ball))
    } catch let error as EightBallError {
        switch error.code.rejectionReason?.kind {
        case .questionPlease: print("Put a question mark at the end.")
        case .deviceBusy, .tooManyQuestions: print("Try again later.")
        case .refused: print("The ball says no:", error.code.rejectionReason?.text ?? "")
        default: print(error.message)
        }
    }
}

private func showBalls(radio: any PeripheralRadio) async throws {
    let ball = EightBallPeripheral(radio: radio, name: "Oracle")
    try await ball.start()

    let optimist = EightBallPeripheral(radio: radio, name: "Oracle", answers: .fixed(Answer(.yes)))
    let echo = EightBallPeripheral(
        radio: radio,
        name: "Echo",
        answers: AnswerSource { question, _ in try Answer("You ask: \(question)") }
    )
    try await optimist.start()
    try await echo.start()

    for asker in await ball.devices {
        await asker.rejectConnection(because: .tooManyQuestions)
    }
}

private let source = AnswerSource { question, _ in
    question.text.count.isMultiple(of: 2) ? Answer(.yes) : Answer(.veryDoubtful)
}

private final class Host: PeripheralObserver {
    func peripheral(
        _ peripheral: any AnsweringPeripheral,
        didReceive question: Question,
        from device: any AskerDevice
    ) async {
        do {
            try await device.sendAnswer(Answer(.askAgainLater), to: question)
        } catch {
            print("Not answered: \(error)")
        }
    }
}

/// No example: what an observer may do.
private final class AskingObserver: CentralObserver {
    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        await device.sendQuestion(Question(.isItTrue))
    }
}

@Suite(.timeLimit(.minutes(10)))
struct DocumentationExamples {
    @Test("An observer asks from inside its callback, and may be removed")
    func observer() async throws {
        let scene = try await AskingScene()
        let observer = AskingObserver()
        let printer = AnswerPrinter()
        await scene.central.addObserver(observer)
        await scene.central.addObserver(printer)
        #expect(await scene.central.isObserving(observer))
        _ = try await scene.discover()
        try await scene.reachWrite(of: "Is it true?").succeed()
        await scene.hear("asked Ball Is it true?")
        await scene.notify("SLUG-ANSWER-00")
        await scene.hear("answered Ball Is it true? It is certain.")
        await scene.central.removeObserver(observer)
        #expect(await !scene.central.isObserving(observer))
    }

    @Test("A host answers from inside its callback")
    func host() async throws {
        let scene = try await AnsweringScene(answers: .manual)
        let host = Host()
        await scene.ball.addObserver(host)
        try await scene.radio.write("Is it so?", from: "A")
        try await scene.expectAnswer("SLUG-ANSWER-11")
        await scene.hear("connected A")
        await scene.hear("question A Is it so?")
        await scene.hear("answer A Is it so? Ask again later.")
        #expect(await scene.ball.isObserving(host))
        await scene.ball.removeObserver(host)
        #expect(await !scene.ball.isObserving(host))
    }

    @Test("One question, as on the first page")
    func askOnceRuns() async throws {
        let air = MemoryAir()
        let ball = EightBallPeripheral(radio: await air.radio("Ball"), name: "Ball")
        try await ball.start()
        try await askOnce(radio: await air.radio("Asker"))
        await ball.stop()
    }
}

// MovingFromTheOriginal.md.
@MainActor
private final class AskingScreen: CentralObserver {
    private let sdk: any AskingCentral
    private let question: Question

    init(radio: any CentralRadio) async throws {
        sdk = EightBallCentral(radio: radio)
        question = try Question("Will it rain?")
        await sdk.addObserver(self)
        try await sdk.start()
    }

    func central(_ central: any AskingCentral, didDiscover device: any BallDevice) async {
        await device.sendQuestion(question)
    }

    func central(
        _ central: any AskingCentral,
        didAsk question: Question,
        of device: any BallDevice
    ) async {
        print("\(device.name) was asked: \(question)")
    }

    func central(
        _ central: any AskingCentral,
        didReceive answer: Answer,
        to question: Question,
        from device: any BallDevice
    ) async {
        print("\(device.name) says: \(answer)")
    }

    func central(
        _ central: any AskingCentral,
        didFailToAsk question: Question,
        of device: any BallDevice,
        because error: EightBallError
    ) async {
        print("ERROR! \(error)")
    }
}
