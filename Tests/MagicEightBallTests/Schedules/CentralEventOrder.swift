import BLE
import MagicEightBall

/// A question to a ball; no two of a schedule are alike.
struct Asked: Hashable, Sendable, CustomStringConvertible {
    let text: String
    let ball: PeerID

    init(_ text: String, _ ball: PeerID) {
        self.text = text
        self.ball = ball
    }

    var description: String { "\(text) to \(ball)" }
}

/// Which events an observer of a central may hear next: an automaton for each ball, and one for each
/// question.
///
/// | a ball is | may hear | and is then |
/// |---|---|---|
/// | unknown | didDiscover | known |
/// | known | didChange; didConnect; didLose | known; linked; unknown |
/// | linked | didChange, didAsk, didReceive; didDisconnect | linked; known |
///
/// | a question is | may hear | and is then |
/// |---|---|---|
/// | begun | didAsk, of a linked ball without another accepted question; didFailToAsk | accepted; ended |
/// | accepted | didReceive; didFailToAsk | ended |
/// | ended | nothing | |
///
/// `stop` is not told: after it all balls are unknown, and none is linked, so a ball may be discovered
/// once more for each stop. The radio's state is told only when it differs from what was told last.
///
/// Source: the documentation of ``CentralObserver`` and ``AskingCentral``.
struct CentralEventOrder {
    enum Event {
        case radio(RadioState), discovered(PeerID), changed(PeerID), lost(PeerID)
        case connected(PeerID), disconnected(PeerID)
        case asked(Asked), answered(Asked), failed(Asked)
    }

    private enum Ball { case known, linked }
    private enum Course { case accepted, ended }

    private var balls: [PeerID: Ball] = [:]
    private var courses: [Asked: Course] = [:]
    private(set) var radio: RadioState?
    private(set) var stopCount = 0
    /// How often something was heard again that only a stop explains.
    private var repeats: [String: Int] = [:]

    /// Somebody called `stop`, or the radio was closed.
    mutating func stopped() { stopCount += 1 }

    func hasEnded(_ question: Asked) -> Bool {
        if case .ended = courses[question] { true } else { false }
    }

    func isKnown(_ ball: PeerID) -> Bool { balls[ball] != nil }

    /// An event was heard.
    ///
    /// - Returns: what is wrong with it; `nil` when it is in order.
    mutating func take(_ event: Event) -> String? {
        switch event {
        case .radio(let state):
            defer { radio = state }
            return (radio ?? .on) == state ? "it was so already" : nil
        case .discovered(let ball):
            if case .linked = balls[ball] { return "\(ball) is linked" }
            guard balls[ball] == nil || mayRepeat("\(ball)") else { return "\(ball) is known" }
            balls[ball] = .known
        case .changed(let ball):
            guard balls[ball] != nil else { return "\(ball) is not known" }
        case .lost(let ball):
            guard case .known = balls[ball] else { return "\(ball) is not known, or linked" }
            balls[ball] = nil
        case .connected(let ball):
            guard case .known = balls[ball] else { return "\(ball) is not known, or linked" }
            balls[ball] = .linked
        case .disconnected(let ball):
            guard case .linked = balls[ball] else { return "\(ball) is not linked" }
            balls[ball] = .known
        case .asked(let question):
            guard case .linked = balls[question.ball] else { return "the ball is not linked" }
            guard courses[question] == nil else { return "it was accepted before, or ended" }
            for case (let other, .accepted) in courses where other.ball == question.ball {
                return "'\(other.text)' was accepted before it, and has not ended"
            }
            courses[question] = .accepted
        case .answered(let question):
            guard case .accepted = courses[question] else { return "it was not accepted" }
            courses[question] = .ended
        case .failed(let question):
            if hasEnded(question) { return "it had ended before" }
            courses[question] = .ended
        }
        return nil
    }

    /// Whether a stop of its own explains each time that this was heard again.
    private mutating func mayRepeat(_ what: String) -> Bool {
        repeats[what, default: 0] += 1
        return repeats[what, default: 0] <= stopCount
    }
}
