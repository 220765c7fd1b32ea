/// Why a text is no script of faults.
public struct FaultScriptError: Error, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
