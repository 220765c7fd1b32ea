import BLE
import BLETesting
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

    private enum Asker { case unknown, connected }
    private enum Course { case new, waiting, sent, ended }

    private(set) var isShown = false
    private(set) var radio: RadioState?
    private var connections = AllowedOrder<PeerID, Asker>(from: .unknown)
    private var courses = AllowedOrder<String, Course>(from: .new)
    /// Whose the questions are.
    private var senders: [String: PeerID] = [:]
    private var last: Event?

    /// Who is connected.
    var askers: Set<PeerID> { Set(connections.subjects(in: .connected)) }

    /// The questions that have not ended, of one asker or of all.
    func open(of asker: PeerID? = nil) -> [String] {
        [Course.waiting, .sent].flatMap { courses.subjects(in: $0) }
            .filter { asker == nil || senders[$0] == asker }
            .sorted()
    }

    func isKnown(_ question: String) -> Bool { courses[question] != .new }

    func isDelivered(_ question: String) -> Bool { courses[question] == .ended }

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
            return connections.take(asker, from: [.unknown], to: .connected)
        case .disconnected(let asker):
            if let fault = connections.take(asker, from: [.connected], to: .unknown) {
                return fault
            }
            let open = open(of: asker)
            return open.isEmpty ? nil : "\(open) have not ended"
        case .received(let question, let asker):
            senders[question] = asker
            return connections.take(asker, in: [.connected])
                ?? courses.take(question, from: [.new], to: .waiting)
        case .queued(let question, let asker):
            return last == .received(question, asker) ? nil : "it was not received just before"
        case .rejected(let asker): return connections.take(asker, in: [.connected])
        case .sent(let question):
            return courses.take(question, from: [.waiting], to: question.isPrivate ? .sent : .ended)
        case .delivered(let question): return courses.take(question, from: [.sent], to: .ended)
        case .failed(let question):
            return courses.take(question, from: [.waiting, .sent], to: .ended)
        }
        return nil
    }
}

extension String {
    /// Whether a question of a schedule went over the private pair: its name begins so.
    var isPrivate: Bool { hasPrefix("I") }
}
