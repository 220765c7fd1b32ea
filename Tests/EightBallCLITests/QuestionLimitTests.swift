import EightBallCLI
import MagicEightBall
import Testing

@Suite("An argument that limits questions")
struct QuestionLimitTests {
    @Test func `is a limit, so many questions in so many seconds`() throws {
        let limit = QuestionLimit(count: 10, per: .milliseconds(2500))
        #expect(try QuestionLimit(argument: "10/2.5") == limit)
    }

    @Test(arguments: [
        "", "10", "/60", "10/", "0/60", "-1/60", "10/0", "10/60/60", "1.5/60", "a/b",
    ])
    func `that is not a limit is refused with an example`(argument: String) {
        #expect(
            refusal { try QuestionLimit(argument: argument) }
                == "'\(argument)' is not a limit; write 10/60"
        )
    }

    /// What a person reads of a refused argument; `nil` when it was taken.
    private func refusal(_ read: () throws -> some Any) -> String? {
        do {
            _ = try read()
            return nil
        } catch {
            return "\(error)"
        }
    }
}
