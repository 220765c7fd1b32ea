internal import BLETerminal

/// A chat program on a full screen: what it shows, and what its keys mean.
///
/// It is a value without input and output. What is known is shown, inputs become actions, and the program carries
/// them out:
///
/// ```swift
/// var chatScreen = ChatScreen()
/// chatScreen.show(people: people)
/// for await event in session.events {
///     if case .input(let input) = event { carryOut(chatScreen.handle(input)) }
///     var screen = Screen(session.size)
///     carryOut(chatScreen.draw(on: &screen))
///     try await session.draw(screen)
/// }
/// ```
///
/// All text may be anybody's: nothing of it reaches the terminal that a terminal would obey.
package struct ChatScreen: Sendable {
    /// What the keys are for.
    enum Focus: Hashable, Sendable {
        case list
        case chat
    }

    var ownName = ""
    var ownKey = ""
    var radioState: String?

    var list = PeopleList()
    /// A name to look for in the list, or a command.
    var listEditor = LineEditor(size: Size(columns: 80, rows: 1), limit: ChatScreen.inputLimit)
    var chat: OpenChat?
    var drafts = Drafts()
    /// The list, unless a chat is open.
    var focus = Focus.list
    /// To whom the program was told that the user is writing.
    var typingID: String?

    var page: PageView?
    var question: Question?
    /// The oldest one first.
    var warnings: [String] = []
    var notice: String?
    /// How large it was drawn last.
    var size = Size(columns: 80, rows: 24)

    /// What is written may be longer than what can be sent, so that it can be shortened; but not endless.
    static let inputLimit = TextLimit(2 * SendLimit(isOriginal: false).maximum) { $0.utf8.count }

    private static let warningLimit = 8

    /// Creates a screen that shows nobody.
    package init() {}

    // MARK: - What is shown

    /// Shows who there is; in groups, each in this order.
    ///
    /// - Parameter people: each with an id of its own.
    package mutating func show(people: [Person]) {
        list.show(people)
        if let id = chat?.person.id {
            if let person = list.person(id) {
                chat?.person = person
            } else {
                chat?.person.isNear = false
                chat?.person.isChatting = false
                chat?.person.isTyping = false
            }
            // Who comes back is told again that the user is writing.
            if chat?.person.isChatting == false { typingID = nil }
        }
    }

    /// Shows the messages of the chat that is open; does nothing when that is another one.
    ///
    /// What is seen stays where it is, unless it is the newest message.
    ///
    /// - Parameters:
    ///   - messages: the oldest one first; of more than 2,000 the newest ones are shown.
    ///   - hasEarlier: whether there are more before them.
    ///   - id: whose.
    package mutating func show(messages: [Message], hasEarlier: Bool, of id: String) {
        guard chat?.person.id == id else { return }
        chat?.show(messages, hasEarlier: hasEarlier)
    }

    /// Shows a text above the input, until a key is pressed.
    ///
    /// - Parameter notice: the text.
    package mutating func show(notice: String) {
        self.notice = notice
    }

    /// Shows a text loudly above the input, until Escape or Enter is pressed.
    ///
    /// - Parameter warning: the text; of more than 8 at once the oldest ones are lost.
    package mutating func show(warning: String) {
        guard !warnings.contains(warning) else { return }
        warnings.append(warning)
        if warnings.count > Self.warningLimit { warnings.removeFirst() }
    }

    /// Shows what is wrong with the radio, until that is another thing.
    ///
    /// - Parameter radioState: as `Bluetooth is off`; `nil` when nothing is.
    package mutating func show(radioState: String?) {
        self.radioState = radioState
    }

    /// Shows who the user is.
    ///
    /// - Parameters:
    ///   - name: the user's name.
    ///   - key: the user's key, as people read it.
    package mutating func show(ownName name: String, key: String) {
        ownName = name
        ownKey = key
    }

    /// Shows a page in place of the chat, until Escape is pressed.
    ///
    /// - Parameter page: the page; `nil` for the chat again.
    package mutating func show(page: Page?) {
        guard let page else { return self.page = nil }
        if self.page == nil { self.page = PageView(page) } else { self.page?.show(page) }
    }

    /// Has from now on another id for the same person: the chat stays open, and what was written stays.
    ///
    /// - Parameters:
    ///   - old: the id until now.
    ///   - new: the id that people and messages have from now on.
    package mutating func identify(_ old: String, as new: String) {
        list.identify(old, as: new)
        drafts.identify(old, as: new)
        if chat?.person.id == old { chat?.person.id = new }
        if typingID == old { typingID = new }
        question?.identify(old, as: new)
    }

    /// Whose chat is open.
    package var openPerson: String? { chat?.person.id }

    /// Opens the chat with somebody, as the user could.
    ///
    /// - Parameter id: who.
    /// - Returns: what the program is to do; nothing when there is no such person.
    package mutating func open(_ id: String) -> [Action] {
        guard let person = list.person(id) else { return [] }
        return open(person)
    }
}
