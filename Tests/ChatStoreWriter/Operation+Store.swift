package import BLEStorage
import BlueChat
package import BlueChatStore

extension Operation {
    /// When all of it happens.
    package static var time: WallTime { WallTime(millisecondsSince1970: 1) }

    /// Carries the operation out.
    ///
    /// - Returns: what came of it: the code of an error, or what was returned.
    package func apply(to store: ChatStore) async throws -> String {
        do {
            return try await carryOut(on: store)
        } catch let error as ChatStoreError {
            if error.code == .failed { return "\(error)" }
            return "\(error.code)"
        }
    }

    private func carryOut(on store: ChatStore) async throws -> String {
        let (friend, id, time) = (Self.friend, Self.id, Self.time)
        switch self {
        case .addFriend(let number, let state):
            try await store.addFriend(
                friend(number),
                toldName: "\(number)",
                state: state,
                at: time
            )
        case .changeKey(let old, let new):
            try await store.changeKey(of: friend(old), to: friend(new), at: time)
        case .setState(let state, let number):
            try await store.setState(state, of: friend(number))
        case .verify(let number, let isVerified):
            try await store.setVerified(isVerified, of: friend(number))
        case .rename(let number, let name):
            try await store.rename(friend(number), to: name)
        case .removeFriend(let number):
            try await store.removeFriend(friend(number))
        case .receive(let message, let number, let text, let file):
            let message = Self.message(message, text, file)
            return Self.outcome(try await store.add(message, from: friend(number), at: time))
        case .send(let message, let number, let text, let file):
            let message = Self.message(message, text, file)
            return Self.outcome(try await store.add(message, to: friend(number)))
        case .deliver(let message, let number, let state):
            return "\(try await store.setState(state, of: id(message), to: friend(number)))"
        case .resend(let message, let number):
            return "\(try await store.resend(id(message), to: friend(number)))"
        case .requeue(let number):
            return "\(try await store.requeue(to: friend(number)))"
        case .edit(let message, let number, let author, let text):
            try await store.edit(
                id(message),
                with: friend(number),
                by: author,
                to: text,
                at: time
            )
        case .delete(let message, let number, let author):
            try await store.delete(id(message), with: friend(number), by: author, at: time)
        case .markRead(let number, let message):
            let ids = try await store.markRead(with: friend(number), through: message.map(id))
            return ids.map { "\($0.bytes[0])" }.joined(separator: " ")
        case .removeHistory(let number):
            try await store.removeHistory(with: friend(number))
        }
        return ""
    }
}
