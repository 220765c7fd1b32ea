internal import BLE

// What comes is kept before anybody is told of it.
extension RelayNode {
    /// How many outcomes wait to be kept; what comes meanwhile is taken when it comes again.
    static let maximumKeepingCount = 256

    /// Does what comes of a packet for this user: at once, or when it is kept.
    func take(_ outcome: Correspondence.Outcome, of packet: RelayPacket) {
        guard let archive else { return finish(outcome) }
        guard keepingCount < Self.maximumKeepingCount else {
            return forget(outcome, packet, RelayError(.full, "\(keepingCount) wait to be kept"))
        }
        keepingCount += 1
        let previous = keeping
        let arrival = correspondence.arrival(of: packet)
        keeping = executor.task(of: self) { node in
            await previous?.value
            // The first one of it was not kept, while this one waited.
            if case .receivedAgain = outcome, node.correspondence.arrival(of: packet) != arrival {
                node.router.forget(packet)
                node.keepingCount -= 1
                return
            }
            do {
                node.finish(try await archive.keep(outcome))
            } catch {
                node.forget(outcome, packet, RelayError("keeping it", failedWith: error))
            }
            node.keepingCount -= 1
        }
    }

    /// It could not be kept, so it is as if it had not come.
    private func forget(
        _ outcome: Correspondence.Outcome,
        _ packet: RelayPacket,
        _ cause: RelayError
    ) {
        router.forget(packet)
        switch outcome {
        case .received(let message, _):
            correspondence.forget(message)
            report(.notKept(RelayError(cause.code, "a message was not taken", underlying: cause)))
        case .delivered(let id, let contact):
            correspondence.expect(id, from: contact)
            report(.notKept(RelayError(cause.code, "a receipt was not taken", underlying: cause)))
        case .read(let ids, let contact):
            for id in ids { correspondence.expect(id, from: contact, isDelivered: true) }
            report(.notKept(RelayError(cause.code, "a receipt was not taken", underlying: cause)))
        case .receivedAgain, .ignored: break
        }
    }

    /// A message that is kept elsewhere is not sent any more.
    ///
    /// - Parameters:
    ///   - id: the message's number.
    ///   - contact: to whom it was.
    ///   - cause: why.
    package func reportFailure(of id: Int32, to contact: RelayAddress, _ cause: RelayError) {
        report(.failed(id, to: contact, cause))
    }

    private func finish(_ outcome: Correspondence.Outcome) {
        switch outcome {
        case .received(let message, let receipt):
            report(.received(message))
            handle(.originated(receipt))
        case .receivedAgain(let receipt): handle(.originated(receipt))
        case .delivered(let id, let contact): report(.delivered(id, to: contact))
        case .read(let ids, let contact): report(.read(ids, by: contact))
        case .ignored: break
        }
    }
}

extension RelayArchive {
    /// Keeps what has come.
    ///
    /// - Returns: what it is: a message that is there already has come again.
    fileprivate func keep(
        _ outcome: Correspondence.Outcome
    ) async throws -> Correspondence.Outcome {
        switch outcome {
        case .received(let message, let receipt):
            return try await keep(message) ? outcome : .receivedAgain(receipt: receipt)
        case .delivered(let id, let contact): try await keepDelivery(of: id, to: contact)
        case .read(let ids, let contact): try await keepReading(of: ids, by: contact)
        case .receivedAgain, .ignored: break
        }
        return outcome
    }
}
