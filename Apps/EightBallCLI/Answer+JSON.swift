public import MagicEightBall
public import RadioCLI

extension Answer {
    /// The slug as an event's value; `nil` for an answer that is none of the twenty.
    public var slugValue: JSONLine.Value? { (stock?.slug).map { .string($0) } }

    /// The kind as an event's value; `nil` for an answer that is none of the twenty.
    public var kindValue: JSONLine.Value? { stock.map { .string("\($0.kind)") } }
}
