internal import BLE

/// Who is connected to publications, and who has subscribed.
extension MemoryAir {
    /// A central has connected to a radio.
    func didConnect(_ central: PeerID, to radio: PeerID) {
        for (number, publication) in publications.ordered where publication.radio == radio {
            didConnect(central, to: number)
        }
    }

    /// A central has connected, or shows by a request that it has.
    func didConnect(_ central: PeerID, to publication: Int) {
        guard publications[publication]?.centrals.contains(central) == false else { return }
        publications[publication]?.centrals.append(central)
        report(.connected(central), to: publication)
        guard let radio = publications[publication]?.radio,
            let mtuBytes = ends[Route(from: radio, to: central)]?.client.mtuBytes
        else { return }
        report(.mtuChanged(mtuBytes, of: central), to: publication)
    }

    /// A connection has another MTU.
    func reportMTU(_ mtuBytes: Int, of central: PeerID, to radio: PeerID) {
        for (number, publication) in publications.ordered
        where publication.radio == radio && publication.centrals.contains(central) {
            report(.mtuChanged(mtuBytes, of: central), to: number)
        }
    }

    /// A radio has lost its connection to a peer.
    func didDisconnect(_ central: PeerID, from radio: PeerID) {
        for (number, publication) in publications.ordered where publication.radio == radio {
            for (id, _) in publication.services.attributes {
                configure(Target(publication: number, id: id), isSubscribed: false, by: central)
            }
            guard publication.centrals.contains(central) else { continue }
            publications[number]?.centrals.removeAll { $0 == central }
            report(.disconnected(central), to: number)
        }
    }

    /// A central subscribes or unsubscribes; with a route to it while it is connected.
    func configure(
        _ target: Target,
        isSubscribed: Bool,
        by central: PeerID,
        at route: Route? = nil
    ) {
        guard let publication = publications[target.publication] else { return }
        let before = publication.subscribers[target.id] ?? []
        guard before.contains(central) != isSubscribed else { return }
        let after = isSubscribed ? before + [central] : before.filter { $0 != central }
        publications[target.publication]?.subscribers[target.id] = after
        if let route, isSubscribed {
            ends[route]?.subscriptions.insert(target)
        } else if let route {
            ends[route]?.subscriptions.remove(target)
        }
        let isNamed =
            publication.options.contains(.individualNotifications)
            && has(.namedSubscribers, publication.radio)
            && publication.services[target.id]?.properties.contains(.notify) == true
        if isNamed || before.isEmpty || after.isEmpty {
            let name = isNamed ? central : nil
            report(
                isSubscribed ? .subscribed(target.id, name) : .unsubscribed(target.id, name),
                to: target.publication
            )
        }
        if !isSubscribed { didUnsubscribe(central, from: target) }
    }

    // MARK: - Disconnecting

    /// Disconnects a central, once its requests have been answered.
    func disconnect(_ central: PeerID, from number: Int) async throws {
        try Task.checkCancellation()
        guard let publication = publications[number] else { throw withdrawn() }
        let route = Route(from: publication.radio, to: central)
        guard let connection = ends[route]?.connection else { return }
        ends[route]?.isBeingDisconnected = true
        if publication.isWaiting(central) {
            let promise = Promise<Void>()
            publications[number]?.replyWaits.append((central, promise))
            do {
                try await promise.wait()
            } catch {
                if ends[route]?.connection == connection {
                    ends[route]?.isBeingDisconnected = false
                }
                throw error
            }
        }
        guard ends[route]?.connection == connection else { return }
        let error = RadioError(.peerGone, "\(publication.radio) ended the connection to \(central)")
        endConnection(at: route, error, forPeer: error)
    }
}
