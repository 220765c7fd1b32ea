public import BLE

/// Why a question, or an asker, is refused.
///
/// | code | reason |
/// |---|---|
/// | 0x90 | ``deviceBusy`` |
/// | 0x0E, 0x91 | ``questionPlease`` |
/// | 0x92 | ``tooLong`` |
/// | 0x93 | ``malformed`` |
/// | 0x94 | ``deviceOffline`` |
/// | 0x80, 0x95 | ``peripheralError`` |
/// | 0x96 | ``tooManyQuestions`` |
/// | 0x97 | ``refused`` |
///
/// Source: Docs/Wire.md, Refusals.
public enum RejectionReason: Hashable, Sendable {
    /// Another question is being asked or answered.
    case deviceBusy
    /// What was asked is no question: it is empty, or does not end in `?`.
    case questionPlease
    /// The text has too many bytes.
    case tooLong
    /// The bytes are no text, or none.
    case malformed
    /// The ball is closing.
    case deviceOffline
    /// The ball could not find an answer.
    case peripheralError
    /// This asker asks too often.
    case tooManyQuestions
    /// The ball's owner does not want to.
    case refused
    /// A code that is none of these, as it came.
    case unknown(UInt8)

    /// The reason behind a ball's refusal of a question.
    ///
    /// - Parameter error: the refusal as it travelled.
    public init(_ error: ATTError) {
        switch error.rawValue {
        case 0x90: self = .deviceBusy
        case 0x0E, 0x91: self = .questionPlease
        case 0x92: self = .tooLong
        case 0x93: self = .malformed
        case 0x94: self = .deviceOffline
        case 0x80, 0x95: self = .peripheralError
        case 0x96: self = .tooManyQuestions
        case 0x97: self = .refused
        default: self = .unknown(error.rawValue)
        }
    }

    /// The refusal as it travels to an asker that writes to the plain Question characteristic.
    ///
    /// An unknown code that an application may not send travels as ``refused``.
    public var attError: ATTError {
        switch self {
        case .deviceBusy: ATTError(rawValue: 0x90)
        case .questionPlease: .unlikelyError
        case .tooLong: ATTError(rawValue: 0x92)
        case .malformed: ATTError(rawValue: 0x93)
        case .deviceOffline: ATTError(rawValue: 0x94)
        case .peripheralError: ATTError(rawValue: 0x95)
        case .tooManyQuestions: ATTError(rawValue: 0x96)
        case .refused: ATTError(rawValue: 0x97)
        case .unknown(let code):
            (0x81...0x9F).contains(code) ? ATTError(rawValue: code) : ATTError(rawValue: 0x97)
        }
    }
}

extension RejectionReason {
    /// The reason's name for programs: that of its case.
    public var name: String {
        switch self {
        case .deviceBusy: "deviceBusy"
        case .questionPlease: "questionPlease"
        case .tooLong: "tooLong"
        case .malformed: "malformed"
        case .deviceOffline: "deviceOffline"
        case .peripheralError: "peripheralError"
        case .tooManyQuestions: "tooManyQuestions"
        case .refused: "refused"
        case .unknown: "unknown"
        }
    }
}

extension RejectionReason: CustomStringConvertible {
    /// The reason as the end of a sentence.
    public var description: String {
        switch self {
        case .deviceBusy: "the ball is busy with another question"
        case .questionPlease: "that is no question; a question ends in '?'"
        case .tooLong: "the text is too long"
        case .malformed: "the text is empty or not UTF-8"
        case .deviceOffline: "the ball is closing"
        case .peripheralError: "the ball failed"
        case .tooManyQuestions: "too many questions"
        case .refused: "the ball's owner does not want to"
        case .unknown(let code): "\(ATTError(rawValue: code))"
        }
    }
}
