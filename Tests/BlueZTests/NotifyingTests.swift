import BLE
import Testing
import VirtualBlueZ

@testable import BlueZ

@Suite("A publication that notifies and indicates", .timeLimit(.minutes(10)))
struct NotifyingTests {
    @Test func `confirms an indication to its only central`() async throws {
        let room = try await Room()
        let publication = try await room.publish()
        let link = try await room.link()
        #expect(try await publication.indicate(Room.signed, to: [0]) == .unconfirmed)
        try await link.subscribe(to: Room.signed)
        var events = link.events.makeAsyncIterator()
        for number in 1...20 {
            let confirmation = try await publication.indicate(Room.signed, to: [UInt8(number)])
            #expect(confirmation == .confirmed)
            #expect(await events.next()?.value == [UInt8(number)])
        }
        await #expect { _ = try await publication.indicate(Room.output, to: [1]) } throws: {
            isRadioError(.unsupported)($0)
        }
        await publication.withdraw()
        await #expect { _ = try await publication.indicate(Room.signed, to: [1]) } throws: {
            isRadioError(.withdrawn)($0)
        }
        await room.close()
    }

    /// bluetoothd says that a value was confirmed also of one that was lost with its connection.
    @Test func `is certain of the next central after one that was lost before it confirmed`()
        async throws
    {
        let room = try await Room()
        let publication = try await room.publish()
        let (_, indication) = try await room.keptConfirmation(of: publication)
        await room.daemon.simulateDisconnection(between: 0, and: 1)
        #expect(try await indication.value == .unconfirmed)
        await room.daemon.simulateKeptConfirmations(by: 0, to: 1, false)
        let link = try await room.link()
        try await link.subscribe(to: Room.signed)
        #expect(try await publication.indicate(Room.signed, to: [2]) == .confirmed)
        await room.close()
    }

    @Test func `takes no confirmation for certain while two centrals are connected`() async throws {
        let room = try await Room(centrals: 2)
        let publication = try await room.publish()
        let first = try await room.link(0)
        let second = try await room.link(1)
        try await first.subscribe(to: Room.signed)
        try await second.subscribe(to: Room.signed)
        #expect(try await publication.indicate(Room.signed, to: [1]) == .unconfirmed)
        for link in [first, second] {
            var events = link.events.makeAsyncIterator()
            #expect(await events.next()?.value == [1])
        }
        await room.close()
    }

    @Test func `counts a central that was called from here among those that confirm`() async throws
    {
        let room = try await Room(centrals: 2)
        let publication = try await room.publish()
        let first = try await room.link(0)
        let second = try await room.link(1)
        let called = try await room.serving.connect(to: PeerID(rawValue: "00:AA:01:00:00:00"))
        try await first.subscribe(to: Room.signed)
        try await second.subscribe(to: Room.signed)
        #expect(try await publication.indicate(Room.signed, to: [1]) == .unconfirmed)
        await called.disconnect()
        await room.close()
    }

    /// They may subscribe to it at once, and no system says so.
    @Test func `knows the strangers that were connected before it`() async throws {
        let room = try await Room()
        _ = try await room.publish()
        let link = try await room.link()
        try await link.write([1], to: Room.input)
        var stranger: PeerID?
        for await case .connected(let peer) in room.responder.events {
            stranger = peer
            break
        }
        let responder = ScriptedResponder()
        let later = try await room.serving.publish(
            GATTService(
                uuid: "181A",
                characteristics: [GATTCharacteristic(uuid: "2A6E", properties: .indicate)]
            ),
            advertising: nil,
            options: [],
            responder: responder
        )
        var events = responder.events.makeAsyncIterator()
        guard case .connected(let peer) = await events.next() else {
            Issue.record("nobody was told")
            return await room.close()
        }
        #expect(peer == stranger)
        await later.withdraw()
        await room.close()
    }

    @Test func `knows the MTU of a central`() async throws {
        let room = try await Room(mtu: 185)
        let publication = try await room.publish()
        #expect(await publication.mtuBytes(of: PeerID(rawValue: "nobody")) == nil)
        let link = try await room.link()
        try await link.write([1], to: Room.input)
        var central: PeerID?
        for await event in room.responder.events {
            guard case .connected(let peer) = event else { continue }
            central = peer
            break
        }
        #expect(await publication.mtuBytes(of: try #require(central)) == 185)
        for await (mtuBytes, peer) in room.responder.mtus {
            #expect(mtuBytes == 185 && peer == central)
            break
        }
        #expect(await publication.smallestMTUBytes(of: Room.output) == 185)
        await room.close()
    }

    @Test(arguments: [BlueZVersion.v5_82, .v5_87])
    func `notifies one central alone, from 5.82 on`(version: BlueZVersion) async throws {
        let room = try await Room(centrals: 2, version)
        #expect(
            await room.serving.capabilities.features.isSuperset(
                of: [.individualNotifications, .namedSubscribers]
            )
        )
        let publication = try await room.publish([.lostRefusals, .individualNotifications])
        let links = [try await room.link(0), try await room.link(1)]
        var centrals: [PeerID] = []
        var events = room.responder.events.makeAsyncIterator()
        for link in links {
            try await link.subscribe(to: Room.output)
            while let event = await events.next() {
                guard case .subscribed(Room.output, let central) = event else { continue }
                centrals.append(try #require(central))
                break
            }
        }
        #expect(Set(centrals).count == 2)
        try await publication.notify([1], to: centrals[0], of: Room.output)
        try await publication.notify([2], to: centrals[1], of: Room.output)
        try await publication.update(Room.output, to: [3])
        for (link, value) in zip(links, [1, 2] as [UInt8]) {
            // The two take different ways, in any order.
            var events = link.events.makeAsyncIterator()
            let values = [await events.next()?.value, await events.next()?.value]
            #expect(Set(values) == [[value], [3]])
        }
        await links[0].disconnect()
        while let event = await events.next() {
            if case .unsubscribed(Room.output, centrals[0]) = event { break }
        }
        await #expect {
            try await publication.notify([4], to: centrals[0], of: Room.output)
        } throws: {
            isRadioError(.peerGone)($0)
        }
        try await publication.notify([5], to: centrals[1], of: Room.output)
        var rest = links[1].events.makeAsyncIterator()
        #expect(await rest.next()?.value == [5])
        await room.close()
    }

    /// bluetoothd would read that central's values no longer.
    @Test func `notifies one central alone of no value without bytes`() async throws {
        let room = try await Room(.v5_82)
        let publication = try await room.publish([.lostRefusals, .individualNotifications])
        let link = try await room.link()
        try await link.subscribe(to: Room.output)
        let central = try await room.subscriber(of: Room.output)
        await #expect { try await publication.notify([], to: central, of: Room.output) } throws: {
            isRadioError(.valueTooLong)($0)
        }
        try await publication.notify([1], to: central, of: Room.output)
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [1])
        await room.close()
    }

    /// bluetoothd asks for a socket for who wants indications, too, and calls no `StartNotify`.
    @Test func `indicates what one central alone can be notified of`() async throws {
        let room = try await Room(centrals: 2, .v5_82)
        let both = AttributeID(service: Room.service, characteristic: "2A18")
        let service = GATTService(
            uuid: both.service,
            characteristics: [
                GATTCharacteristic(uuid: both.characteristic, properties: [.notify, .indicate])
            ]
        )
        let publication = try await room.serving.publish(
            service,
            advertising: Advertisement(localName: "Room", serviceUUIDs: [both.service]),
            options: .individualNotifications,
            responder: room.responder
        )
        #expect(try await publication.indicate(both, to: [0]) == .unconfirmed)
        let links = [try await room.link(0), try await room.link(1)]
        for link in links {
            try await link.subscribe(to: both)
            _ = try await room.subscriber(of: both)
        }
        let first = Task { try await publication.indicate(both, to: [1]) }
        var events = links.map { $0.events.makeAsyncIterator() }
        #expect(await events[0].next()?.value == [1])
        #expect(await events[1].next()?.value == [1])
        // bluetoothd closes the other one's socket, too, who stays subscribed.
        await room.daemon.simulateDisconnection(between: 0, and: 2)
        for await case .individualNotificationsEnded(both, _) in room.responder.events { break }
        // That one's confirmation is waited for still.
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = Task { try await publication.indicate(both, to: [2]) }
        // Nobody can confirm it any more.
        await links[1].disconnect()
        #expect(try await second.value == .unconfirmed)
        await room.close()
    }

    /// bluetoothd closes the sockets of all centrals when the link of one ends (bluez/bluez#1452).
    @Test(arguments: [BlueZVersion.v5_82, .v5_87])
    func `still notifies a central when another's connection is lost`(
        version: BlueZVersion
    ) async throws {
        let room = try await Room(centrals: 2, version)
        let publication = try await room.publish([.lostRefusals, .individualNotifications])
        let links = [try await room.link(0), try await room.link(1)]
        for link in links { try await link.subscribe(to: Room.output) }
        await room.daemon.simulateDisconnection(between: 0, and: 2)
        var other: PeerID?
        for await event in room.responder.events {
            guard case .individualNotificationsEnded(Room.output, let central) = event else {
                continue
            }
            other = central
            break
        }
        await #expect {
            try await publication.notify([6], to: try #require(other), of: Room.output)
        } throws: {
            isRadioError(.peerGone)($0)
        }
        try await publication.update(Room.output, to: [7])
        var events = links[1].events.makeAsyncIterator()
        #expect(await events.next()?.value == [7])
        // It is as before once that one has subscribed anew.
        try await links[1].unsubscribe(from: Room.output)
        try await links[1].subscribe(to: Room.output)
        var report = room.responder.events.makeAsyncIterator()
        while let event = await report.next() {
            if case .subscribed(Room.output, other?) = event { break }
        }
        try await publication.notify([8], to: try #require(other), of: Room.output)
        #expect(await events.next()?.value == [8])
        await room.close()
    }

    @Test func `says that it cannot notify one central alone before 5.82`() async throws {
        let room = try await Room()
        #expect(await room.serving.capabilities.features == .exclusiveAccess)
        #expect(await room.serving.capabilities.system == "BlueZ 5.66")
        await #expect {
            _ = try await room.publish([.lostRefusals, .individualNotifications])
        } throws: { error in
            isRadioError(.unsupported)(error) && "\(error)".contains("BlueZ 5.66")
        }
        let publication = try await room.publish()
        await #expect {
            try await publication.notify([1], to: PeerID(rawValue: "A"), of: Room.output)
        } throws: {
            isRadioError(.unsupported)($0)
        }
        await room.close()
    }
}

extension Room {
    /// Waits for the next central that subscribes to a characteristic, and says who that is.
    fileprivate func subscriber(of characteristic: AttributeID) async throws -> PeerID {
        for await case .subscribed(characteristic, let central?) in responder.events {
            return central
        }
        throw CancellationError()
    }
}
