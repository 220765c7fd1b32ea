internal import ArgumentParser
public import MagicEightBall
internal import RadioCLI

extension QuestionLimit {
    /// A limit from a command line.
    ///
    /// - Parameter argument: how many questions in how many seconds, `10/60`.
    /// - Throws: `ValidationError` for anything else, and for more than a day.
    public init(argument: String) throws {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let count = Int(parts[0]), count > 0,
            let period = try? Duration(argument: String(parts[1]))
        else {
            throw ValidationError("'\(argument)' is not a limit; write 10/60")
        }
        self.init(count: count, per: period)
    }
}
