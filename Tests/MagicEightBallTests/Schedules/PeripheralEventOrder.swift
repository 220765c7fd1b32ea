import BLE
import MagicEightBall

/// Which events an observer of a ball may hear next: an automaton for the ball, one for each asker, and
/// one for each question.
///
/// | the ball is | may hear | and is then |
/// |---|---|---|
/// | hidden | peripheralDidStartAdvertising | shown |
/// | shown | didStopAdvertising | hidden |
///
/// | an asker is | may hear | and is then |
/// |---|---|---|
/// | unknown | didConnect | connected |
/// | connected | didReceive, didReject; didDisconnect, when each of its questions has ended | connected; unknown |
///
/// | a question is | may hear | and is then |
/// |---|---|---|
/// | new | didReceive | waiting |
/// | waiting | didQueue, right after didReceive; didSend; didFailToAnswer | waiting; ended, of a private question sent; ended |
/// | sent | didDeliver; didFailToAnswer | ended |
/// | ended | nothing | |
///
/// When the ball has stopped all questions have ended, and all askers and the ball itself are gone.
///
/// Source: the documentation of ``PeripheralObserver``.
struct PeripheralEventOrder {
    enum Event: Equatable {
        case radio(RadioState), shown, hidden, connected(PeerID), disconnected(PeerID)
        case received(String, PeerID), queued(String, PeerID), rejected(PeerID)
        case sent(String), delivered(String), failed(String)
    }

    private enum Course { case waiting(PeerID), sent(PeerID), ended }

    private(set) var isShown = false
    private(set) var radio: RadioState?
    private(set) var askers: Set<PeerID> = []
    private var courses: [String: Course] = [:]
    private var last: Event?

    /// The questions that have not ended, of one asker or of all.
    func open(of asker: PeerID? = nil) -> [String] {
        courses.compactMap { question, course in
            switch course {
            case .waiting(let peer), .sent(let peer): asker == nil || peer == asker ? question : nil
            case .ended: nil
            }
        }.sorted()
    }

    func isKnown(_ question: String) -> Bool { courses[question] != nil }

    func isDelivered(_ question: String) -> Bool {
        if case .ended = courses[question] { true } else { false }
    }

    /// An event was heard.
    ///
    /// - Returns: what is wrong with it; `nil` when it is in order.
    mutating func take(_ event: Event) -> String? {
        defer { last = event }
        switch event {
        case .radio(let state):
            defer { radio = state }
            return (radio ?? .on) == state ? "it was so already" : nil
        case .shown, .hidden:
            guard isShown == (event == .hidden) else { return "it was so already" }
            isShown = event == .shown
        case .connected(let asker):
            guard askers.insert(asker).inserted else { return "it is connected" }
        case .disconnected(let asker):
            guard askers.remove(asker) != nil else { return "it is not connected" }
            let open = open(of: asker)
            return open.isEmpty ? nil : "\(open) have not ended"
        case .received(let question, let asker):
            guard askers.contains(asker) else { return "the asker is not connected" }
            guard courses[question] == nil else { return "it was received before" }
            courses[question] = .waiting(asker)
        case .queued(let question, let asker):
            return last == .received(question, asker) ? nil : "it was not received just before"
        case .rejected(let asker):
            return askers.contains(asker) ? nil : "the asker is not connected"
        case .sent(let question):
            guard case .waiting(let asker) = courses[question] else { return "it does not wait" }
            courses[question] = question.isPrivate ? .sent(asker) : .ended
        case .delivered(let question):
            guard case .sent = courses[question] else { return "it was not sent" }
            courses[question] = .ended
        case .failed(let question):
            switch courses[question] {
            case .waiting, .sent: courses[question] = .ended
            case .ended: return "it has ended"
            case nil: return "it was not received"
            }
        }
        return nil
    }
}

extension String {
    /// Whether a question of a schedule went over the private pair: its name begins so.
    var isPrivate: Bool { hasPrefix("I") }
}
