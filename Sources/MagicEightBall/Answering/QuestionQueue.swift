internal import BLE

/// The questions that a ball has accepted: first come, first served.
///
/// A device has at most half of the places, as many programs as may ask there; and all askers together
/// have one question on the plain pair. So nobody's questions keep those of others out.
struct QuestionQueue {
    /// How many unanswered private questions one asker may have; fewer where fewer may wait.
    static let maximumCountOfAsker = 8

    /// How many may wait for their turn.
    let maximumWaiting: Int
    /// How many are thought about at once.
    let maximumThinking: Int

    private var questions: [Int: AcceptedQuestion] = [:]
    /// Those that take a place, in the order in which they came.
    private var places: [Int] = []

    init(maximumWaiting: Int, maximumThinking: Int) {
        self.maximumWaiting = maximumWaiting
        self.maximumThinking = maximumThinking
    }

    /// Those that take a place, in the order in which they came.
    var open: [AcceptedQuestion] { places.compactMap { questions[$0] } }

    subscript(id: Int) -> AcceptedQuestion? { questions[id] }

    /// Whether a question of the plain pair takes a place.
    var hasPlainQuestion: Bool { open.contains { $0.pair == .plain } }

    /// Whether one more may be added.
    var hasRoom: Bool {
        thinkingCount < maximumThinking || places.count - thinkingCount < maximumWaiting
    }

    private var thinkingCount: Int { open.count { !$0.isWaiting } }

    /// Whether an asker has as many unanswered private questions as it may.
    func isFull(for peer: PeerID) -> Bool {
        let half = (maximumWaiting + maximumThinking) / 2
        return privateQuestions(of: peer).count >= max(1, min(Self.maximumCountOfAsker, half))
    }

    /// Which of its questions gives way to the next one of an asker that has as many as it may.
    func oldestPrivateQuestion(of peer: PeerID) -> AcceptedQuestion? {
        let questions = privateQuestions(of: peer)
        return questions.first(where: \.isUnanswered) ?? questions.first
    }

    private func privateQuestions(of peer: PeerID) -> [AcceptedQuestion] {
        open.filter { $0.asker.id == peer && $0.tag != nil }
    }

    /// How many have their turn before this one's thinking begins, itself counted.
    ///
    /// - Returns: `nil` for one whose turn has come, or that is not here.
    func place(of id: Int) -> Int? {
        open.filter(\.isWaiting).firstIndex { $0.id == id }.map { $0 + 1 }
    }

    /// Whose turn it is; `nil` when none waits, or when enough are thought about.
    var next: Int? {
        guard thinkingCount < maximumThinking else { return nil }
        return open.first(where: \.isWaiting)?.id
    }

    /// Adds a question behind all others.
    mutating func add(_ question: AcceptedQuestion) {
        questions[question.id] = question
        places.append(question.id)
    }

    /// Passes an event to a question; no actions for one that is not in the queue.
    mutating func take(_ event: AcceptedQuestion.Event, of id: Int) -> [AcceptedQuestion.Action] {
        guard let actions = questions[id]?.take(event) else { return [] }
        if questions[id]?.isOpen != true { places.removeAll { $0 == id } }
        for case .end in actions { questions[id] = nil }
        return actions
    }
}
