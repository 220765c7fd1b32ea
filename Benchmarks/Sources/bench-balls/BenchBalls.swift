import BlueZ
import Glibc
import MagicEightBall
import Measuring

/// Balls that print nothing: `bench-balls ours|original FIRST [COUNT]`.
///
/// One of the SDK, or one as the original app is, on each of so many adapters, one by default, from the
/// one of that number on. The ball on hci1 is named "Ball 1". It says "ready", and ends with its input.
@main
enum BenchBalls {
    @MainActor static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let first = Int(arguments[2]) else {
            print("usage: bench-balls ours|original FIRST [COUNT]")
            exit(64)
        }
        let count = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
        for number in first..<first + count {
            let radio = try await Adapter.open("hci\(number)")
            let name = "Ball \(number)"
            if arguments[1] == "original" {
                try await OriginalBall().publish(name, on: radio)
            } else {
                // Room for as many askers as there can be.
                let ball = EightBallPeripheral(
                    radio: radio,
                    name: name,
                    answers: .fixed(Answer(.yes)),
                    waiting: 256
                )
                try await ball.start()
            }
        }
        say("ready")
        while readNumbers() != nil {}
        exit(0)
    }
}
