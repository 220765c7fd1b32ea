/// A message of a chat.
package struct Message: Hashable, Sendable, Identifiable {
    /// How far an own message has come.
    package enum State: Hashable, Sendable {
        /// It waits until the other one can be reached.
        case waiting
        /// It is on its way.
        case sending
        /// It was sent; nothing more is known.
        case sent
        /// The other one has it.
        case delivered
        /// The other one has read it.
        case read
        /// It was not sent.
        case failed(reason: String)
    }

    /// What is sent as a file.
    package struct File: Hashable, Sendable {
        /// Its name, as it came.
        package var name: String
        /// How many bytes it has.
        package var byteCount: Int

        /// Creates a file.
        ///
        /// - Parameters:
        ///   - name: its name, as it came.
        ///   - byteCount: how many bytes it has.
        package init(name: String, byteCount: Int) {
            self.name = name
            self.byteCount = byteCount
        }
    }

    /// Which message: any text that no other one of the chat has.
    package var id: String
    /// Whether the user has written it.
    package var isOwn: Bool
    /// Its text, as it came; it is made safe where it is drawn.
    package var text: String
    /// Its file.
    package var file: File?
    /// When it was written, as it is shown: `14:03`.
    package var time: String
    /// On which day, as it is shown between messages of different days.
    package var day: String
    /// How far it has come, if it is an own one.
    package var state: State?
    /// Whether it had another text before.
    package var isEdited: Bool
    /// Whether its author took it back; then neither text nor file is shown.
    package var isDeleted: Bool

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - id: which message.
    ///   - isOwn: whether the user has written it.
    ///   - text: its text, as it came.
    ///   - file: its file.
    ///   - time: when it was written, as it is shown.
    ///   - day: on which day, as it is shown.
    ///   - state: how far it has come, if it is an own one.
    ///   - isEdited: whether it had another text before.
    ///   - isDeleted: whether its author took it back.
    package init(
        id: String,
        isOwn: Bool,
        text: String,
        file: File? = nil,
        time: String,
        day: String,
        state: State? = nil,
        isEdited: Bool = false,
        isDeleted: Bool = false
    ) {
        self.id = id
        self.isOwn = isOwn
        self.text = text
        self.file = file
        self.time = time
        self.day = day
        self.state = state
        self.isEdited = isEdited
        self.isDeleted = isDeleted
    }

    /// Whether it is an own one that was not sent.
    var hasFailed: Bool {
        if case .failed = state { isOwn && !isDeleted } else { false }
    }
}
