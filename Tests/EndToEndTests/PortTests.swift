import BLE
import BLEDBus
import BlueZ
import Testing
import VirtualBlueZ

/// What a socket, a chat and a mesh need of the radio, over both ends of ours.
@Suite("The radio", .timeLimit(.minutes(10)))
struct PortTests {
    @Test func `discovers twins and descriptors, and reads each`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            _ = try await scene.publish()
            let link = try await scene.link()
            let services = await link.services
            #expect(services[PortScene.secondLevel]?.properties == .read)
            #expect(try await link.read(PortScene.level) == [10])
            #expect(try await link.read(PortScene.secondLevel) == [11])
            let description = DescriptorID(
                characteristic: PortScene.input,
                descriptor: "2901"
            )
            #expect(try await link.read(description) == Array("In".utf8))
            await link.disconnect()
            await scene.close()
        }
    }

    @Test func `carries a megabyte each way, and loses nothing`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let publication = try await scene.publish()
            let link = try await scene.link()
            let byteCount = 1 << 20
            let size = await link.maximumWriteByteCount(.withoutResponse)
            let count = byteCount / size + 1
            // Neither write commands nor notifications have flow control, and a responder takes as many as wait at
            // once: who sends waits until the other end has taken some.
            let window = 64
            var arrived = scene.responder.counts.makeAsyncIterator()
            for number in 0..<count {
                let value = CountingResponder.value(number, size)
                try await link.writeWithoutResponse(value, to: PortScene.input)
                guard number % window == window - 1 || number == count - 1 else { continue }
                while let taken = await arrived.next(), taken <= number {}
            }
            #expect(await scene.responder.byteCount == count * size)
            #expect(await scene.responder.numbers == Set(0..<count))
            // Over several ATT bearers, as 5.66 has them, values overtake each other.
            let isOrdered = WorldKind.name != "5.66"
            let disorderCount = await scene.responder.disorderCount
            #expect(disorderCount == 0 || !isOrdered)
            print("write commands: \(count) of \(size) bytes, \(disorderCount) overtaken")

            let room = min(await link.mtuBytes - 5, 512)
            var values = try await link.notifications(of: PortScene.output).makeAsyncIterator()
            var received = 0
            var numbers: Set<Int> = []
            var disorder = 0
            for number in 0..<(byteCount / room + 1) {
                try await publication.update(
                    PortScene.output,
                    to: CountingResponder.value(number, room)
                )
                guard number % window == window - 1 || number == byteCount / room else { continue }
                while received <= number, let value = try await values.next() {
                    if value != CountingResponder.value(received, room) { disorder += 1 }
                    if let number = CountingResponder.number(value) { numbers.insert(number) }
                    received += 1
                }
            }
            #expect(numbers == Set(0...byteCount / room))
            #expect(disorder == 0 || !isOrdered)
            print("notifications: \(received) of \(room) bytes, \(disorder) overtaken")
            await link.disconnect()
            await scene.close()
        }
    }

    @Test func `serves two features and two programs over one connection`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let other = try await Adapter.open("hci0", onBusAt: world.bus.rawValue)
            let publication = try await scene.publish()
            let first = try await scene.link()
            let second = try await scene.link()
            let third = try await scene.link(from: other)
            for link in [first, second] { try await link.subscribe(to: PortScene.output) }
            // Of one that both programs had subscribed to bluetoothd would signal each value twice.
            try await third.subscribe(to: PortScene.level)
            for (number, leaving) in [first, second].enumerated() {
                try await publication.update(PortScene.output, to: [UInt8(number)])
                var events = leaving.events.makeAsyncIterator()
                while case .notification(_, let value) = await events.next() {
                    if value == [UInt8(number)] { break }
                }
                await leaving.disconnect()
            }
            try await third.write(CountingResponder.value(0, 4), to: PortScene.input)
            try await publication.update(PortScene.level, to: [9])
            var values: [[UInt8]] = []
            for await case .notification(_, let value) in third.events {
                values.append(value)
                if value == [9] { break }
            }
            #expect(values == [[9]])
            await third.disconnect()
            await other.close()
            await scene.close()
        }
    }

    @Test func `says which indications were confirmed`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let publication = try await scene.publish()
            let link = try await scene.link()
            try await link.subscribe(to: PortScene.confirmed)
            var events = link.events.makeAsyncIterator()
            for number in 0..<10 {
                let value = [UInt8(number)]
                #expect(
                    try await publication.indicate(PortScene.confirmed, to: value) == .confirmed
                )
                guard case .notification(PortScene.confirmed, value) = await events.next() else {
                    Issue.record("\(number) did not arrive")
                    return
                }
            }
            await link.disconnect()
            for await event in scene.responder.events {
                if case .unsubscribed = event { break }
            }
            #expect(try await publication.indicate(PortScene.confirmed, to: [1]) == .unconfirmed)
            await scene.close()
        }
    }

    @Test func `advertises apart from what it publishes`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            var content = Advertisement(localName: "First", serviceUUIDs: ["180F"])
            content.manufacturerData = [0xFFFF: [1, 2]]
            content.serviceData = ["180F": [80]]
            let advertising = try await scene.serving.advertise(content)
            let sighting = try await scene.find(ScanFilter(services: ["180A", "180F"]))
            #expect(sighting.manufacturerData == [0xFFFF: [1, 2]])
            #expect(sighting.serviceData == ["180F": [80]])
            content.localName = "Second"
            try await advertising.update(content)
            _ = try await scene.find(ScanFilter(name: "Second"))
            try await advertising.pause()
            try await advertising.resume()
            var others: [any Advertising] = []
            await #expect {
                while true { others.append(try await scene.serving.advertise(content)) }
            } throws: {
                ($0 as? RadioError)?.code == .limitReached && "\($0)".contains(" of ")
            }
            for other in others { await other.stop() }
            await advertising.stop()
            await scene.close()
        }
    }

    /// With the filter that bluetoothd has by itself, also when the power is back, each peer is seen once.
    @Test func `sees a peer again and again, also after its adapter was off`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let content = Advertisement(localName: "Port", serviceUUIDs: [PortScene.service])
            let advertising = try await scene.serving.advertise(content)
            try await scene.find(times: 8)
            try await world.powerOff(0)
            for await state in await scene.central.states() where state != .on { break }
            try await world.powerOn(0)
            for await state in await scene.central.states() where state == .on { break }
            try await scene.find(times: 8)
            await advertising.stop()
            await scene.close()
        }
    }

    /// bluetoothd before 5.73 dies of one that is taken back while it is being registered.
    @Test func `takes back advertisements that have just begun`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let content = Advertisement(localName: "Brief", serviceUUIDs: [PortScene.service])
            for round in 0..<20 {
                let begun = try await scene.serving.advertise(content)
                try await begun.pause()
                let resuming = Task { try await begun.resume() }
                for _ in 0..<round { await Task.yield() }
                await begun.stop()
                _ = await resuming.result
                let beginning = Task { try await scene.serving.advertise(content) }
                for _ in 0..<round { await Task.yield() }
                beginning.cancel()
                if case .success(let advertising) = await beginning.result {
                    await advertising.stop()
                }
            }
            try await scene.serving.advertise(content).stop()
            await scene.close()
        }
    }

    @Test func `uses one connection in both roles`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            _ = try await scene.publish()
            let own = CountingResponder()
            let back = AttributeID(service: "180A", characteristic: "2A29")
            let services = [
                GATTService(
                    uuid: back.service,
                    characteristics: [
                        GATTCharacteristic(uuid: back.characteristic, properties: .read)
                    ]
                )
            ]
            let publication = try await scene.central.publish(
                services,
                advertising: nil,
                options: [],
                responder: own
            )
            let link = try await scene.link()
            try await link.write(CountingResponder.value(0, 4), to: PortScene.input)
            var caller: PeerID?
            for await case .connected(let peer) in scene.responder.events {
                caller = peer
                break
            }
            let reverse = try await scene.serving.connect(to: try #require(caller))
            #expect(try await reverse.discoverServices()[back]?.properties == .read)
            #expect(try await reverse.read(back) == [10])
            // Whoever was called leaves the connection to who made it.
            await reverse.disconnect()
            #expect(try await link.read(PortScene.level) == [10])
            await link.disconnect()
            await publication.withdraw()
            await scene.close()
        }
    }

    @Test func `has exclusive access to what it writes and is notified of`() async throws {
        try await check { world in
            let scene = try await PortScene(in: world)
            let publication = try await scene.publish()
            let link = try await scene.link()
            let writer = try await link.acquireWriter(for: PortScene.input)
            var arrived = scene.responder.counts.makeAsyncIterator()
            for number in 0..<200 {
                try await writer.write(
                    CountingResponder.value(number, writer.maximumByteCount)
                )
            }
            while let number = await arrived.next(), number < 200 {}
            #expect(await scene.responder.numbers == Set(0..<200))
            await writer.close()
            let reader = try await link.acquireReader(for: PortScene.output)
            var values = reader.values.makeAsyncIterator()
            for number in 0..<50 {
                try await publication.update(PortScene.output, to: [UInt8(number)])
                #expect(try await values.next() == [UInt8(number)])
            }
            await reader.close()
            await link.disconnect()
            await scene.close()
        }
    }

    @Test(arguments: BlueZVersion.all)
    func `notifies one central of two alone where bluetoothd can`(
        version: BlueZVersion
    ) async throws {
        try await check(
            "notifies one central of two alone where bluetoothd can, \(version)",
            adapters: 3,
            version: version,
            virtualOnlyBecause: WorldKind.name == "\(version)" ? nil : "it is another version"
        ) { world in
            let scene = try await PortScene(in: world)
            let other = try await Adapter.open("hci2", onBusAt: world.bus.rawValue)
            if version == .v5_66 {
                try await refusesToNotifyOneAlone(scene)
            } else {
                try await notifiesOneAlone(scene, other)
            }
            await other.close()
            await scene.close()
        }
    }

    private func refusesToNotifyOneAlone(_ scene: PortScene) async throws {
        let features = await scene.serving.capabilities.features
        #expect(features.isDisjoint(with: [.individualNotifications, .namedSubscribers]))
        let options: PublicationOptions = [.lostRefusals, .individualNotifications]
        await #expect { _ = try await scene.publish(options) } throws: {
            ($0 as? RadioError)?.code == .unsupported
        }
        let publication = try await scene.publish()
        await #expect {
            try await publication.notify([1], to: PeerID(rawValue: "A"), of: PortScene.output)
        } throws: {
            ($0 as? RadioError)?.code == .unsupported
        }
    }

    private func notifiesOneAlone(_ scene: PortScene, _ other: Adapter) async throws {
        let publication = try await scene.publish([.lostRefusals, .individualNotifications])
        // One after the other, as their controllers need it.
        let links = [try await scene.link(), try await scene.link(from: other)]
        var events = scene.responder.events.makeAsyncIterator()
        var centrals: [PeerID] = []
        for link in links {
            try await link.subscribe(to: PortScene.output)
            while let event = await events.next() {
                guard case .subscribed(PortScene.output, let central) = event else { continue }
                centrals.append(try #require(central))
                break
            }
        }
        try #require(Set(centrals).count == 2)
        // Each value says for whom it is; what is for all comes last, by a way of its own.
        let count: UInt8 = 20
        for number in 0..<count {
            for (index, central) in centrals.enumerated() {
                try await publication.notify(
                    [UInt8(index), number],
                    to: central,
                    of: PortScene.output
                )
            }
        }
        try await publication.update(PortScene.output, to: [2])
        for (index, link) in links.enumerated() {
            var values: [[UInt8]] = []
            var arriving = link.events.makeAsyncIterator()
            while values.count <= count, case .notification(_, let value) = await arriving.next() {
                values.append(value)
            }
            #expect(values.filter { $0 != [2] } == (0..<count).map { [UInt8(index), $0] })
            #expect(values.contains([2]))
        }
        await links[0].disconnect()
        while let event = await events.next() {
            if case .unsubscribed(PortScene.output, centrals[0]) = event { break }
        }
        await #expect {
            try await publication.notify([3], to: centrals[0], of: PortScene.output)
        } throws: {
            ($0 as? RadioError)?.code == .peerGone
        }
        try await publication.notify([4], to: centrals[1], of: PortScene.output)
        var rest = links[1].events.makeAsyncIterator()
        // Nothing that was for the other one has come meanwhile.
        guard case .notification(PortScene.output, [4]) = await rest.next() else {
            Issue.record("another value came, or none")
            return
        }
        await links[1].disconnect()
    }
}
