internal import BLE

/// The questions that a ball has accepted and not yet answered: first come, first served.
///
/// An asker has one inquiry at most, and all askers together have one question on the plain pair; so
/// nobody's questions keep those of others out.
struct QuestionQueue {
    /// How many may wait for their turn.
    let maximumWaiting: Int
    /// How many are thought about at once.
    let maximumThinking: Int

    /// Those that are thought about.
    private var thinking: [PendingQuestion] = []
    /// Those that wait for their turn.
    private var waiting: [PendingQuestion] = []

    init(maximumWaiting: Int, maximumThinking: Int) {
        self.maximumWaiting = maximumWaiting
        self.maximumThinking = maximumThinking
    }

    /// All of them, in the order in which they came.
    var all: [PendingQuestion] { thinking + waiting }

    /// Whether a question of the plain pair is among them.
    var hasPlainQuestion: Bool { all.contains { $0.way == .plain } }

    /// Whether one more may be added.
    var hasRoom: Bool {
        thinking.count < maximumThinking || waiting.count < maximumWaiting
    }

    /// The inquiry of an asker.
    func inquiry(of peer: PeerID) -> PendingQuestion? {
        all.first { $0.asker.id == peer && $0.tag != nil }
    }

    /// How many have their turn before this one's thinking begins, itself counted.
    ///
    /// - Returns: `nil` for one that is thought about already, or is not here.
    func place(of id: Int) -> Int? {
        waiting.firstIndex { $0.id == id }.map { $0 + 1 }
    }

    /// Adds a question behind all others.
    mutating func add(_ question: PendingQuestion) {
        waiting.append(question)
    }

    /// Takes the next one whose turn it is.
    ///
    /// - Returns: `nil` when none waits, or when enough are thought about.
    mutating func next() -> PendingQuestion? {
        guard thinking.count < maximumThinking, !waiting.isEmpty else { return nil }
        let question = waiting.removeFirst()
        thinking.append(question)
        return question
    }

    /// Changes one that is here.
    mutating func update(_ id: Int, _ change: (inout PendingQuestion) -> Void) {
        if let index = thinking.firstIndex(where: { $0.id == id }) {
            change(&thinking[index])
        } else if let index = waiting.firstIndex(where: { $0.id == id }) {
            change(&waiting[index])
        }
    }

    /// Takes one out.
    ///
    /// - Returns: `nil` when it was not here.
    mutating func remove(_ id: Int) -> PendingQuestion? {
        if let index = thinking.firstIndex(where: { $0.id == id }) {
            return thinking.remove(at: index)
        }
        return waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }
}
