public import BLE

/// Why a question, or an asker, is refused: a kind, the code that is sent, and the ball's own words.
///
/// | code | kind |
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
public struct RejectionReason: Hashable, Sendable {
    /// The kinds of reasons.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// Another question is being asked or answered, and no more can wait.
        case deviceBusy
        /// The text is not a question: it is empty, or does not end in `?`.
        case questionPlease
        /// The text has too many bytes.
        case tooLong
        /// The text is empty, or not UTF-8.
        case malformed
        /// The ball is closing.
        case deviceOffline
        /// The ball could not find an answer.
        case peripheralError
        /// This asker asks too often.
        case tooManyQuestions
        /// The ball's owner refuses.
        case refused
        /// Any other code.
        case unknown
    }

    /// The reason's kind.
    public let kind: Kind

    /// The code as it is sent on the private pair: 0x90 to 0x97; for ``Kind-swift.enum/unknown`` the
    /// code that was received.
    public let code: UInt8

    /// The refusing side's own words; `nil` when there are none.
    ///
    /// Only a refusal in a reply carries words, see Docs/Wire.md.
    public let text: String?

    private init(_ kind: Kind, _ code: UInt8, text: String? = nil) {
        self.kind = kind
        self.code = code
        self.text = text
    }

    /// Another question is being asked or answered, and no more can wait.
    public static let deviceBusy = RejectionReason(.deviceBusy, 0x90)
    /// The text is not a question: it is empty, or does not end in `?`.
    public static let questionPlease = RejectionReason(.questionPlease, 0x91)
    /// The text has too many bytes.
    public static let tooLong = RejectionReason(.tooLong, 0x92)
    /// The text is empty, or not UTF-8.
    public static let malformed = RejectionReason(.malformed, 0x93)
    /// The ball is closing.
    public static let deviceOffline = RejectionReason(.deviceOffline, 0x94)
    /// The ball could not find an answer.
    public static let peripheralError = RejectionReason(.peripheralError, 0x95)
    /// This asker asks too often.
    public static let tooManyQuestions = RejectionReason(.tooManyQuestions, 0x96)
    /// The ball's owner refuses.
    public static let refused = RejectionReason(.refused, 0x97)

    /// A code that was received.
    ///
    /// - Parameter code: the code. One that is known becomes its reason.
    /// - Returns: the reason.
    public static func unknown(_ code: UInt8) -> RejectionReason {
        RejectionReason(ATTError(rawValue: code))
    }

    /// The reason behind a ball's refusal of a question.
    ///
    /// - Parameter error: the refusal as it was received.
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
        default: self.init(.unknown, error.rawValue)
        }
    }

    /// The same reason with words of one's own.
    ///
    /// - Parameter text: the words; what does not fit a reply is cut when it is sent.
    /// - Returns: the reason with them.
    public func saying(_ text: String) -> RejectionReason {
        RejectionReason(kind, code, text: text)
    }

    /// The refusal as it is sent to an asker that writes to the plain Question characteristic.
    ///
    /// There ``questionPlease`` is 0x0E, as the original apps have it. An unknown code that an
    /// application may not send is sent as ``refused``.
    public var attError: ATTError {
        kind == .questionPlease ? .unlikelyError : privateError
    }

    /// The refusal as it is sent to an asker that writes to the Private Question characteristic.
    var privateError: ATTError {
        let isOurs = (0x81...0x9F).contains(code)
        return ATTError(rawValue: isOurs ? code : RejectionReason.refused.code)
    }
}

extension RejectionReason {
    /// The reason's name for programs: that of its kind.
    public var name: String { kind.rawValue }
}

extension RejectionReason: CustomStringConvertible {
    /// The reason as the end of a sentence, with the other side's words if there are any.
    public var description: String {
        text.map { "\(meaning): \($0)" } ?? meaning
    }

    private var meaning: String {
        switch kind {
        case .deviceBusy: "the ball is busy with another question"
        case .questionPlease: "a question ends in '?'"
        case .tooLong: "the text is too long"
        case .malformed: "the text is empty or not UTF-8"
        case .deviceOffline: "the ball is closing"
        case .peripheralError: "the ball failed"
        case .tooManyQuestions: "too many questions"
        case .refused: "the ball's owner does not want to"
        case .unknown: "\(ATTError(rawValue: code))"
        }
    }
}
