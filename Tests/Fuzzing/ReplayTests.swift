import Foundation
import TestThreads
import Testing

/// Feeds the decoders without a fuzzer: with what it found once, and with what is made from that.
///
/// An input that a decoder does not take ends the process; it stays in `fuzzing-DECODER` in the
/// folder for temporary files then.
@Suite("The decoders", .ownThread, .timeLimit(.minutes(10)))
struct ReplayTests {
    /// A command line takes a millisecond, anything else microseconds.
    private static func mutationCount(_ decoder: Decoder) -> Int {
        decoder == .arguments ? 300 : 3000
    }

    private static func corpus(of decoder: Decoder) throws -> [[UInt8]] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Corpus/\(decoder)")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .map { [UInt8](try Data(contentsOf: folder.appendingPathComponent($0))) }
    }

    @Test(arguments: Decoder.allCases)
    func `take the corpus, and many inputs made from it`(decoder: Decoder) throws {
        let corpus = try Self.corpus(of: decoder)
        #expect(!corpus.isEmpty)
        let trace = FileManager.default.temporaryDirectory
            .appendingPathComponent("fuzzing-\(decoder)-\(getpid())").path
        let file = open(trace, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer {
            close(file)
            unlink(trace)
        }
        var mutations = Mutations(seed: 8)
        let inputs = (0..<Self.mutationCount(decoder)).lazy.map { _ in
            mutations.mutation(of: corpus)
        }
        for input in [[]] + corpus { feed(input, to: decoder, tracing: file) }
        for input in inputs { feed(input, to: decoder, tracing: file) }
    }

    private func feed(_ input: [UInt8], to decoder: Decoder, tracing file: Int32) {
        ftruncate(file, 0)
        pwrite(file, input, input.count, 0)
        input.withUnsafeBytes { decoder.decode($0) }
    }
}
