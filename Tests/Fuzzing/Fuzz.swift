import Glibc

/// Which decoder a run feeds: the environment's `FUZZ_DECODER`.
private let decode: @Sendable (UnsafeRawBufferPointer) -> Void = {
    let name = getenv("FUZZ_DECODER").map { String(cString: $0) } ?? ""
    guard let decoder = Decoder(rawValue: name) else {
        let names = Decoder.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("FUZZ_DECODER is '\(name)'; it has to be one of \(names)")
    }
    return decoder.decode
}()

/// Called by libFuzzer with each input.
///
/// Source: LLVM, docs/LibFuzzer.rst.
@c(LLVMFuzzerTestOneInput)
func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    decode(UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}
