import EightBallCLI

@testable import MagicEightBall

/// A value from the air, as everything that it could be.
@Sendable func decodeWire(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    if let inquiry = Inquiry(received: bytes) { precondition(inquiry.bytes == bytes) }
    if let reply = Reply(received: bytes) {
        precondition(Reply(received: reply.bytes) == reply)
    }
    guard let text = EightBallService.text(bytes) else { return }
    let question = Question(received: text)
    _ = question.endsInQuestionMark
    if let asked = try? Question(text) {
        precondition(asked.text.utf8.count <= Question.maximumByteCount)
    }
    let answer = Answer(received: text)
    for mtu in [23, 100, 517] {
        let told = EightBallService.notification(answer, mtuBytes: mtu)
        precondition(told.count <= mtu - 5)
        precondition(String(validating: told, as: UTF8.self) != nil)
    }
    let isSafe = "\(answer) \(question)".printable.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
    }
    precondition(isSafe, "a terminal would get a control character")
}
