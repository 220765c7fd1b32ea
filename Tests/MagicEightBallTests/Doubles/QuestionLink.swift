import BLE

/// A link that is for questions alone.
protocol QuestionLink: Link {}

extension QuestionLink {
    func maximumWriteByteCount(_ kind: WriteKind) async -> Int { 512 }

    func read(_ descriptor: DescriptorID) async throws -> [UInt8] {
        throw RadioError(.unsupported, "a question needs no descriptors")
    }

    func write(_ value: [UInt8], to descriptor: DescriptorID) async throws {
        throw RadioError(.unsupported, "a question needs no descriptors")
    }

    func notifications(
        of characteristic: AttributeID
    ) async throws -> AsyncThrowingStream<[UInt8], any Error> {
        throw RadioError(.unsupported, "a question takes what is notified from the events")
    }
}
