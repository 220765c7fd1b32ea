import BlueZ
import Glibc
import MagicEightBall
import Measuring

/// The SDK beside question_floor.c: `question-client ADAPTER NAME [COUNT]`.
///
/// It finds so many balls whose names begin with that name, one by default, connects to them, and says
/// "ready". Then it asks as asking.h says; of several balls each is asked so. It ends with its input, as
/// a program that is killed does, so that the link is there for the next client.
@main
enum QuestionClient {
    @MainActor static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2 else {
            print("usage: question-client ADAPTER NAME [COUNT]")
            exit(64)
        }
        let central = EightBallCentral(radio: try await Adapter.open(arguments[1]))
        let balls = try await find(
            arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1,
            named: arguments[2],
            with: central
        )
        say("ready")
        while let numbers = readNumbers(), numbers.count == 3 {
            let plan = Asking(
                count: numbers[0] == 0 ? .max : Int(numbers[0]),
                pace: .milliseconds(numbers[1]),
                limit: numbers[2] == 0 ? .seconds(86_400) : .seconds(numbers[2])
            )
            say("\(try await plan.ask(balls, by: central))")
        }
        exit(0)
    }

    private static func find(
        _ count: Int,
        named name: String,
        with central: EightBallCentral
    ) async throws -> [any BallDevice] {
        try await central.start()
        var balls: [any BallDevice] = []
        for try await ball in await central.discoveries(for: .seconds(30))
        where ball.name.hasPrefix(name) {
            balls.append(ball)
            if balls.count == count { break }
        }
        guard balls.count == count else {
            print("question-client: found \(balls.count) of \(count) balls '\(name)'")
            exit(1)
        }
        await central.stopScanning()
        for ball in balls { try await ball.connect() }
        return balls
    }
}
