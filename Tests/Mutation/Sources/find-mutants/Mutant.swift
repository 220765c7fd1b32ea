/// One small change of a source file.
struct Mutant: Encodable {
    /// How the change is written so that it can be chosen when the program runs.
    enum Form: String, Encodable {
        /// An expression in place of another one: `(mutant(1) ? changed : original)`.
        case choice
        /// A statement that is not there: `if !mutant(1) { original }`.
        case removal
        /// A statement in place of another one: `if mutant(1) { changed } else { original }`.
        case exchange
    }

    let form: Form
    /// What is changed, in a word or two, for the table.
    let kind: String
    let line: Int
    let column: Int
    /// Where the original begins and ends, in bytes of the file.
    let begin: Int
    let end: Int
    let changed: String
    /// The first and the last line of the declaration around it.
    let scope: [Int]
}
