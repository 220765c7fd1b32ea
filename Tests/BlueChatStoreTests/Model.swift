import BlueChatStore
import chat_store_writer

/// What a store should hold, kept in the simplest way.
struct Model: Equatable {
    struct Message: Equatable {
        let id: Int
        let isOutgoing: Bool
        var text: String
        var file: [UInt8]?
        var state: DeliveryState?
        var isUnread: Bool
        var isEdited = false
        var isDeleted = false
        var earlier: [String] = []

        /// Whether its way may be interrupted.
        var isSending: Bool { state == .sending && !isDeleted }
    }

    struct Person: Equatable {
        let number: Int
        var toldName: String
        var givenName: String?
        var state: Friend.State
        var isVerified = false
        var predecessor: Int?
        var messages: [Message] = []

        /// What happens when its way is interrupted: those without a key could show twice what has arrived.
        ///
        /// - Returns: how many messages were on their way.
        mutating func requeue() -> Int {
            let isKey = if case .key = Operation.friend(number) { true } else { false }
            let sending = messages.indices.filter { messages[$0].isSending }
            for index in sending {
                messages[index].state = isKey ? .waiting : .failed(ChatStore.unknownArrival)
            }
            return sending.count
        }
    }

    var people: [Person] = []

    /// What happens when a store is closed, or killed, and opened again.
    mutating func reopen() {
        for person in people.indices { _ = people[person].requeue() }
    }

    /// Carries an operation out.
    ///
    /// - Returns: what came of it, as ``Operation/apply(to:)`` says it.
    mutating func apply(_ operation: Operation) -> String {
        switch operation {
        case .addFriend(let number, let state):
            guard index(number) == nil else { return "friendExists" }
            people.append(Person(number: number, toldName: "\(number)", state: state))
            return ""
        case .changeKey(let old, let new):
            return change(old) { person, model in
                guard model.index(new) == nil else { return "friendExists" }
                var next = Person(
                    number: new,
                    toldName: person.toldName,
                    givenName: person.givenName,
                    state: person.state == .blocked ? .blocked : .requestReceived
                )
                next.predecessor = old
                model.people.append(next)
                return ""
            }
        case .setState(let state, let number):
            return update(number) { $0.state = state }
        case .verify(let number, let isVerified):
            return update(number) { $0.isVerified = isVerified }
        case .rename(let number, let name):
            guard name?.allSatisfy(\.isWhitespace) != true else { return "invalid" }
            return update(number) { $0.givenName = name }
        case .removeHistory(let number):
            return update(number) { $0.messages = [] }
        case .removeFriend(let number):
            guard let index = index(number) else { return "noSuchFriend" }
            people.remove(at: index)
            for other in people.indices where people[other].predecessor == number {
                people[other].predecessor = nil
            }
            return ""
        default:
            return applyToMessages(operation)
        }
    }

    private func index(_ number: Int) -> Int? { people.firstIndex { $0.number == number } }

    private mutating func change(
        _ number: Int,
        _ body: (inout Person, inout Model) -> String
    ) -> String {
        guard let index = index(number) else { return "noSuchFriend" }
        var person = people[index]
        let outcome = body(&person, &self)
        people[index] = person
        return outcome
    }

    mutating func update(_ number: Int, _ body: (inout Person) -> Void) -> String {
        change(number) { person, _ in
            body(&person)
            return ""
        }
    }

    mutating func withPerson(_ number: Int, _ body: (inout Person) -> String) -> String {
        change(number) { person, _ in body(&person) }
    }
}
