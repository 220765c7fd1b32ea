import RadioCLI

@testable import MagicEightBall

/// A value from the air, as everything that it could be.
@Sendable func decodeWire(_ input: UnsafeRawBufferPointer) {
    let bytes = Array(input)
    if let privateQuestion = PrivateQuestion(received: bytes) {
        precondition(privateQuestion.bytes == bytes)
    }
    if let reply = Reply(received: bytes) {
        precondition(Reply(received: reply.bytes) == reply)
    }
    guard let text = EightBallService.text(bytes) else { return }
    let question = Question(received: text)
    precondition(question.endsInQuestionMark == (bytes.last == UInt8(ascii: "?")))
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
    checkLine(text)
}

/// A line for programs is one line, harmless to a terminal, and its quotations end.
private func checkLine(_ text: String) {
    let line = JSONLine(["text": .string(text), "next": 1]).text
    // Byte by byte, as some signs make one character with what follows.
    let ending = #"","next":1}"#.utf8
    precondition(line.utf8.suffix(ending.count).elementsEqual(ending), "its line ends: \(line)")
    var isEscaped = false
    var quoteCount = 0
    for scalar in line.unicodeScalars {
        precondition(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value), line)
        if !isEscaped, scalar == "\"" { quoteCount += 1 }
        isEscaped = !isEscaped && scalar == "\\"
    }
    precondition(quoteCount == 6, "a text ends its quotation: \(line)")
}
