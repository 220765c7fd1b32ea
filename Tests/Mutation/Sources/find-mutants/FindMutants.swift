import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Prints the mutants of the Swift files below folders, a line of JSON for each file.
@main
enum FindMutants {
    /// The mutants of one file.
    private struct File: Encodable {
        let path: String
        let mutants: [Mutant]
    }

    static func main() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for folder in CommandLine.arguments.dropFirst() {
            let files = try parse(folder)
            let cases = EnumCases(in: files.map(\.tree))
            for (path, tree) in files {
                let finder = MutantFinder(tree, cases: cases)
                let file = File(path: path, mutants: finder.mutants)
                print(String(decoding: try encoder.encode(file), as: UTF8.self))
            }
        }
    }

    private static func parse(_ folder: String) throws -> [(path: String, tree: SourceFileSyntax)] {
        let names =
            FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            let path = "\(folder)/\(name)"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            // An operator that the table lacks leaves its sequence as it is, without mutants.
            let folded = OperatorTable.standardOperators.foldAll(Parser.parse(source: text)) { _ in
            }
            return (path, folded.as(SourceFileSyntax.self) ?? Parser.parse(source: text))
        }
    }
}
