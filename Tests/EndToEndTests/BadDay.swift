import BLEDBus
import VirtualBlueZ

/// Something that goes wrong for `eightball-ask`, and how it has to end.
struct BadDay: Sendable, CustomStringConvertible {
    let description: String
    let status: Int32
    /// What the line on standard error has to say.
    let message: String
    /// How long things take in a virtual world, so that the moment can be caught.
    let timing: Timing
    let run: @Sendable (any World) async throws -> Tool.Outcome

    init(
        _ description: String,
        _ status: Int32,
        _ message: String,
        _ timing: Timing = Timing(),
        _ run: @escaping @Sendable (any World) async throws -> Tool.Outcome
    ) {
        self.description = description
        self.status = status
        self.message = message
        self.timing = timing
        self.run = run
    }

    /// Asks a ball that behaves so, once it has the question.
    init(
        _ description: String,
        _ status: Int32,
        _ message: String,
        timeout: Double = 10,
        _ behaviour: @escaping ScriptedBall.Behaviour
    ) {
        self.init(description, status, message, Timing(disconnecting: .milliseconds(20))) { world in
            let ball = try await ScriptedBall(in: world, behaviour)
            defer { withExtendedLifetime(ball) {} }
            return try await world.ask("--timeout", world.seconds(timeout), "Will it rain?")
        }
    }
}
