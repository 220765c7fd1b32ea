/// Twenty questions for whoever has no keyboard, as the original's watch app has; the raw value is the
/// number in the slug.
///
/// The original's texts are not part of this package: these are our own, under the same keys. Each
/// fits one packet of the smallest size, and ends in `?`.
///
/// ```swift
/// let answer = try await central.ask(Question(.willItRain), of: ball)
/// ```
public enum StockQuestion: Int, CaseIterable, Hashable, Sendable {
    /// Will it rain?
    case willItRain = 0
    /// Will I be rich?
    case willIBeRich
    /// Will I be famous?
    case willIBeFamous
    /// Am I in love?
    case amIInLove
    /// Should I stay?
    case shouldIStay
    /// Should I go?
    case shouldIGo
    /// Is it true?
    case isItTrue
    /// Is it a good idea?
    case isItAGoodIdea
    /// Will we win?
    case willWeWin
    /// Will it work?
    case willItWork
    /// Is today the day?
    case isTodayTheDay
    /// Should I call?
    case shouldICall
    /// Should I buy it?
    case shouldIBuyIt
    /// Can I trust them?
    case canITrustThem
    /// Will they come?
    case willTheyCome
    /// Am I right?
    case amIRight
    /// Is there cake?
    case isThereCake
    /// Time for a break?
    case timeForABreak
    /// Will it last?
    case willItLast
    /// Are you sure?
    case areYouSure

    /// The key of the text, from `SLUG-QUESTION-00` to `SLUG-QUESTION-19`; it is not sent.
    public var slug: String {
        "SLUG-QUESTION-" + (rawValue < 10 ? "0" : "") + String(rawValue)
    }

    /// The question as it is asked and shown.
    public var sentence: String {
        switch self {
        case .willItRain: "Will it rain?"
        case .willIBeRich: "Will I be rich?"
        case .willIBeFamous: "Will I be famous?"
        case .amIInLove: "Am I in love?"
        case .shouldIStay: "Should I stay?"
        case .shouldIGo: "Should I go?"
        case .isItTrue: "Is it true?"
        case .isItAGoodIdea: "Is it a good idea?"
        case .willWeWin: "Will we win?"
        case .willItWork: "Will it work?"
        case .isTodayTheDay: "Is today the day?"
        case .shouldICall: "Should I call?"
        case .shouldIBuyIt: "Should I buy it?"
        case .canITrustThem: "Can I trust them?"
        case .willTheyCome: "Will they come?"
        case .amIRight: "Am I right?"
        case .isThereCake: "Is there cake?"
        case .timeForABreak: "Time for a break?"
        case .willItLast: "Will it last?"
        case .areYouSure: "Are you sure?"
        }
    }
}

extension StockQuestion: CustomStringConvertible {
    /// The question as it is asked and shown.
    public var description: String { sentence }
}
