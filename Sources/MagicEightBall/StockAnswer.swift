/// The twenty answers of a Magic 8-Ball; the raw value is the number in the slug.
public enum StockAnswer: Int, CaseIterable, Hashable, Sendable {
    /// It is certain.
    case itIsCertain = 0
    /// It is decidedly so.
    case itIsDecidedlySo
    /// Without a doubt.
    case withoutADoubt
    /// Yes – definitely. The dash is U+2013.
    case yesDefinitely
    /// You may rely on it.
    case youMayRelyOnIt
    /// As I see it, yes.
    case asISeeItYes
    /// Most likely.
    case mostLikely
    /// Outlook good.
    case outlookGood
    /// Yes.
    case yes
    /// Signs point to yes.
    case signsPointToYes
    /// Reply hazy, try again.
    case replyHazyTryAgain
    /// Ask again later.
    case askAgainLater
    /// Better not tell you now.
    case betterNotTellYouNow
    /// Cannot predict now.
    case cannotPredictNow
    /// Concentrate and ask again.
    case concentrateAndAskAgain
    /// Don’t count on it. The apostrophe is U+2019.
    case dontCountOnIt
    /// My reply is no.
    case myReplyIsNo
    /// My sources say no.
    case mySourcesSayNo
    /// Outlook not so good.
    case outlookNotSoGood
    /// Very doubtful.
    case veryDoubtful

    /// The kinds of answers.
    public enum Kind: Hashable, Sendable {
        /// Yes: the first ten.
        case affirmative
        /// Neither yes nor no: the next five.
        case nonCommittal
        /// No: the last five.
        case negative
    }

    /// The answer's kind.
    public var kind: Kind {
        switch rawValue {
        case ..<10: .affirmative
        case ..<15: .nonCommittal
        default: .negative
        }
    }

    /// The text as it is sent, from `SLUG-ANSWER-00` to `SLUG-ANSWER-19`, 14 bytes.
    public var slug: String {
        "SLUG-ANSWER-" + (rawValue < 10 ? "0" : "") + String(rawValue)
    }

    /// The text for people.
    public var sentence: String {
        switch self {
        case .itIsCertain: "It is certain."
        case .itIsDecidedlySo: "It is decidedly so."
        case .withoutADoubt: "Without a doubt."
        case .yesDefinitely: "Yes \u{2013} definitely."
        case .youMayRelyOnIt: "You may rely on it."
        case .asISeeItYes: "As I see it, yes."
        case .mostLikely: "Most likely."
        case .outlookGood: "Outlook good."
        case .yes: "Yes."
        case .signsPointToYes: "Signs point to yes."
        case .replyHazyTryAgain: "Reply hazy, try again."
        case .askAgainLater: "Ask again later."
        case .betterNotTellYouNow: "Better not tell you now."
        case .cannotPredictNow: "Cannot predict now."
        case .concentrateAndAskAgain: "Concentrate and ask again."
        case .dontCountOnIt: "Don\u{2019}t count on it."
        case .myReplyIsNo: "My reply is no."
        case .mySourcesSayNo: "My sources say no."
        case .outlookNotSoGood: "Outlook not so good."
        case .veryDoubtful: "Very doubtful."
        }
    }
}
