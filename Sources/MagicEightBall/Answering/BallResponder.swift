internal import BLE

/// What the radio sees of a ball: reads, writes and events, handed on in their order.
struct BallResponder: GATTResponder {
    let ball: EightBallPeripheral
    /// What comes of an earlier publication is too late.
    let publication: Int

    func read(
        _ characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) -> [UInt8] {
        try await ball.read(characteristic, request, over: publication)
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        try await ball.write(value, to: characteristic, request, over: publication)
    }

    func handle(_ event: PublicationEvent) async {
        await ball.handle(event, of: publication)
    }
}
