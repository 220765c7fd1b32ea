import BlueChat
import BlueChatAccount
import BlueChatStore
import RadioCLI

/// What becomes of texts to originals; what does of others, the events of their chats tell.
struct Outcomes {
    /// What was told last, of whose text.
    private var told: [FriendID: (id: MessageID, state: DeliveryState)] = [:]

    /// A message has changed: tells what became of it, unless that was told.
    mutating func show(
        _ id: MessageID,
        to friend: FriendID,
        of account: ChatAccount,
        _ console: Console
    ) async {
        do {
            guard case .address = friend,
                let state = try await account.store.message(id, with: friend)?.state
            else { return }
            // It may have come further meanwhile, of which there is another event.
            guard told[friend]?.id != id || told[friend]?.state != state else { return }
            told[friend] = (id, state)
            let name = try await account.store.friend(friend)?.name ?? "\(friend)"
            show(state, of: id, to: name, console)
        } catch let error as ChatStoreError where error.code == .noSuchFriend {
            // The user has removed them.
        } catch {
            console.event(of: error)
            console.failure("\(error)")
        }
    }

    private func show(
        _ state: DeliveryState,
        of id: MessageID,
        to name: String,
        _ console: Console
    ) {
        switch state {
        case .waiting, .sending, .read: break
        case .sent:
            console.event([
                "event": "unconfirmed", "name": .string(name), "message": .string("\(id)"),
            ])
            console.outcome("a text was sent to \(name), who is not known to have confirmed it")
        case .delivered:
            console.event([
                "event": "delivered", "name": .string(name), "message": .string("\(id)"),
            ])
            console.outcome("\(name) has confirmed a text")
        case .failed(let reason):
            console.event([
                "event": "failed", "name": .string(name), "message": .string("\(id)"),
                "reason": .string(reason),
            ])
            console.failure("a text to \(name) failed: \(reason)")
        }
    }
}
