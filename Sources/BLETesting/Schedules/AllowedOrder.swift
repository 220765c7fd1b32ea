/// In which order events may come: an automaton for each subject, such as a device or a message.
///
/// A test writes down which states a subject has, takes each event that it hears, and reports what is wrong with it.
package struct AllowedOrder<Subject: Hashable & Sendable, State: Hashable & Sendable>: Sendable {
    private let first: State
    private var states: [Subject: State] = [:]

    /// Subjects of which nothing has been heard.
    ///
    /// - Parameter first: the state in which each of them is.
    package init(from first: State) { self.first = first }

    /// The state of a subject.
    package subscript(subject: Subject) -> State { states[subject] ?? first }

    /// The subjects in a state of which something has been heard.
    package func subjects(in state: State) -> [Subject] {
        states.lazy.filter { $0.value == state }.map(\.key)
    }

    /// An event was heard.
    ///
    /// - Parameters:
    ///   - subject: whose it is.
    ///   - allowed: the states in which it may come.
    ///   - next: the state that it leads to.
    /// - Returns: what is wrong with it; `nil` when it is in order.
    package mutating func take(
        _ subject: Subject,
        from allowed: Set<State>,
        to next: State
    ) -> String? {
        if let fault = take(subject, in: allowed) { return fault }
        states[subject] = next
        return nil
    }

    /// An event was heard that leads to no other state.
    ///
    /// - Parameters:
    ///   - subject: whose it is.
    ///   - allowed: the states in which it may come.
    /// - Returns: what is wrong with it; `nil` when it is in order.
    package func take(_ subject: Subject, in allowed: Set<State>) -> String? {
        let state = self[subject]
        return allowed.contains(state) ? nil : "\(subject) is \(state)"
    }
}
