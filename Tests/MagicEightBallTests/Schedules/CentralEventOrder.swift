import BLE
import BLETesting
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

    private enum Ball { case unknown, known, linked }
    private enum Course { case begun, accepted, ended }

    private var balls = AllowedOrder<PeerID, Ball>(from: .unknown)
    private var courses = AllowedOrder<Asked, Course>(from: .begun)
    private(set) var radio: RadioState?
    private(set) var stopCount = 0
    /// How often something was heard again that only a stop explains.
    private var repeats: [String: Int] = [:]

    /// Somebody called `stop`, or the radio was closed.
    mutating func stopped() { stopCount += 1 }

    func hasEnded(_ question: Asked) -> Bool { courses[question] == .ended }

    func isKnown(_ ball: PeerID) -> Bool { balls[ball] != .unknown }

    /// An event was heard.
    ///
    /// - Returns: what is wrong with it; `nil` when it is in order.
    mutating func take(_ event: Event) -> String? {
        switch event {
        case .radio(let state):
            defer { radio = state }
            return (radio ?? .on) == state ? "it was so already" : nil
        case .discovered(let ball):
            let isRepeated = balls[ball] == .known && mayRepeat("\(ball)")
            return balls.take(ball, from: isRepeated ? [.known] : [.unknown], to: .known)
        case .changed(let ball): return balls.take(ball, in: [.known, .linked])
        case .lost(let ball): return balls.take(ball, from: [.known], to: .unknown)
        case .connected(let ball): return balls.take(ball, from: [.known], to: .linked)
        case .disconnected(let ball): return balls.take(ball, from: [.linked], to: .known)
        case .asked(let question):
            if let fault = balls.take(question.ball, in: [.linked]) { return fault }
            if let other = courses.subjects(in: .accepted).first(where: {
                $0.ball == question.ball
            }) {
                return "'\(other.text)' was accepted before it, and has not ended"
            }
            return courses.take(question, from: [.begun], to: .accepted)
        case .answered(let question): return courses.take(question, from: [.accepted], to: .ended)
        case .failed(let question):
            return courses.take(question, from: [.begun, .accepted], to: .ended)
        }
    }

    /// Whether a stop of its own explains each time that this was heard again.
    private mutating func mayRepeat(_ what: String) -> Bool {
        repeats[what, default: 0] += 1
        return repeats[what, default: 0] <= stopCount
    }
}
