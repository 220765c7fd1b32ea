/// What the program is to do.
///
/// People and messages are named by the `id` that ``Person`` and ``Message`` have.
package enum Action: Hashable, Sendable {
    /// Show the messages of somebody, and of nobody else.
    case open(person: String)
    /// Send a text.
    case send(String, to: String)
    /// Send a message again that failed.
    case resend(message: String, person: String)
    /// Send a file.
    case sendFile(path: String, person: String)
    /// Give an own message another text.
    case edit(message: String, text: String, person: String)
    /// Delete an own message.
    case delete(message: String, person: String)
    /// The user has seen all messages up to this one.
    case markRead(through: String, person: String)
    /// Show more messages: the user has seen the first one of them.
    case loadEarlier(before: String, person: String)
    /// The user begins to write, or has ended.
    case typing(Bool, person: String)

    /// Begin a chat.
    case call(person: String)
    /// End a chat.
    case leave(person: String)
    /// Ask somebody to be a friend, or accept that.
    case add(person: String)
    /// Give somebody another name.
    case rename(person: String, to: String)
    /// Forget somebody; the user was asked, and has said yes.
    case remove(person: String)
    /// Take nothing more from somebody.
    case block(person: String)
    /// End that.
    case unblock(person: String)
    /// Show the words to compare with somebody.
    case verify(person: String)

    /// Look who is near.
    case who
    /// Show the messages that have a text.
    case search(String)
    /// Show the own key as a QR code.
    case showOwnKey
    /// End the program.
    case quit
}
