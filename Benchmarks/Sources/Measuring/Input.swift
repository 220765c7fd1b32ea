internal import Glibc

/// Says a line at once, to whoever started this program.
package func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// The next line of numbers on standard input; `nil` at its end.
///
/// It blocks its thread: only to be called on the main one, while nothing is under way there.
package func readNumbers() -> [Double]? {
    readLine().map { $0.split(separator: " ").compactMap { Double($0) } }
}
