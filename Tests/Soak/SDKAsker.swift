import BLE
import MagicEightBall

/// Asks a ball with the SDK.
struct SDKAsker: Asker {
    let name: String
    let central: EightBallCentral
    /// The ball's name.
    let ball: String

    func ask(_ questions: [(kind: QuestionKind, text: String)], _ scene: Scene) async {
        for (kind, text) in questions {
            let ball = await find(scene)
            scene.tally.change { counts in
                counts.asked += 1
                counts.untold[0].insert(text)
            }
            // Longer than all limits of the SDK together: what takes longer hangs.
            let limit: Duration = kind == .leaving ? .milliseconds(500) : .seconds(200)
            do {
                let question = try Question(text)
                let answer = try await withTimeLimit(limit, on: scene.clock) { [central] in
                    try await central.ask(question, of: ball)
                }
                if answer == nil, kind != .leaving {
                    scene.tally.change { $0.hung += 1 }
                } else {
                    scene.tally.end(text, .success(answer?.text))
                }
            } catch {
                scene.tally.end(text, .failure(error))
            }
        }
    }

    private func find(_ scene: Scene) async -> any BallDevice {
        while true {
            do {
                return try await central.discoverDevice { [ball] in $0.name == ball }
            } catch {
                let reason = (error as? EightBallError)?.code.description ?? "\(error)"
                scene.tally.change { $0.withoutBall[reason, default: 0] += 1 }
                await scene.pause(for: .seconds(5))
            }
        }
    }
}
