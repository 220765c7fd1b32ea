import BLE
import BLETesting
import Testing

@Suite("Notifications", .timeLimit(.minutes(10)))
struct NotificationTests {
    @Test func `reach all subscribers in the order of the calls`() async throws {
        let scene = try await Scene()
        let tablet = await scene.air.radio("Tablet")
        let links = [try await scene.link(), try await scene.link(tablet)]
        for link in links { try await link.subscribe(to: Sample.level) }
        for value in UInt8(0)..<50 { try await scene.publication.update(Sample.level, to: [value]) }
        for link in links { #expect(await link.values(50) == (0..<50).map { [$0] }) }
    }

    @Test func `are for those alone that have subscribed`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.second)
        try await scene.publication.update(Sample.level, to: [1])
        try await scene.publication.update(Sample.second, to: [2])
        try await link.unsubscribe(from: Sample.second)
        try await scene.publication.update(Sample.second, to: [3])
        await link.disconnect()
        let events = await link.allEvents()
        #expect(events.count == 2 && events[0].hasPrefix("[2]"))
    }

    @Test func `are truncated to the MTU`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        await scene.air.simulateMTUChange(to: 23, between: scene.central, and: scene.peripheral)
        await scene.air.waitUntilDelivered()
        #expect(await link.mtuBytes == 23)
        #expect(await scene.publication.mtuBytes(of: scene.central.peer) == 23)
        #expect(await scene.publication.smallestMTUBytes(of: Sample.level) == 23)
        while await scene.responder.mtus.count < 2 { await Task.yield() }
        #expect(await scene.responder.mtus == ["Phone 517", "Phone 23"])
        let value = [UInt8](repeating: 7, count: 30)
        try await scene.publication.update(Sample.level, to: value)
        await link.disconnect()
        let characteristic = Sample.level.characteristic
        #expect(
            await link.allEvents() == [
                "MTU 23", "\(value.prefix(20)) of \(characteristic) 0", "disconnected here",
            ]
        )
    }

    @Test func `come after the reply to the write that caused them`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        await scene.responder.setOnWrite { try await $0.update(Sample.level, to: [9]) }
        await scene.responder.setReply(.failure(.unlikelyError))
        await scene.responder.hold()
        let write = Task { try await link.write([1], to: Sample.level) }
        var calls = scene.responder.calls.makeAsyncIterator()
        while await calls.next()?.contains("writes") == false {}
        try await scene.publication.update(Sample.level, to: [8])
        #expect(await scene.air.heldValueCount == 1)
        await scene.responder.release()
        await #expect(throws: ATTError.unlikelyError) { try await write.value }
        #expect(await link.values(2) == [[8], [9]])
    }

    @Test func `are limited while a write is handled`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        await scene.responder.setOnWrite { publication in
            for _ in 0...512 { try await publication.update(Sample.level, to: [9]) }
        }
        try await link.write([1], to: Sample.level)
        let error = try await scene.responder.calls.first(4).last
        #expect(error?.contains("too many values wait") == true)
    }

    @Test func `wait for room while a write is handled, and lose none`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        await scene.responder.hold()
        let write = Task { try await link.write([1], to: Sample.level) }
        var calls = scene.responder.calls.makeAsyncIterator()
        while await calls.next()?.contains("writes") == false {}
        let updates = Task {
            for value in 0..<400 {
                try await scene.publication.update(Sample.level, to: [UInt8(value % 256)])
            }
        }
        while await scene.air.heldValueCount < 256 { await Task.yield() }
        await scene.responder.release()
        try await write.value
        #expect(await link.values(400) == (0..<400).map { [UInt8($0 % 256)] })
        try await updates.value
    }

    @Test(arguments: [PublicationOptions(), .individualNotifications])
    func `wait for room, however many send at once`(options: PublicationOptions) async throws {
        let scene = try await Scene(options: options)
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        let central = scene.central.peer
        let reading = Task { await link.values(900) }
        try await withThrowingTaskGroup { group in
            for value in 0..<900 {
                group.addTask {
                    let value = [UInt8(value % 256)]
                    if options.isEmpty {
                        try await scene.publication.update(Sample.level, to: value)
                    } else {
                        try await scene.publication.notify(value, to: central, of: Sample.level)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(await reading.value.count == 900)
    }

    @Test func `wait no longer once the publication has ended`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        await scene.responder.hold()
        let write = Task { try await link.write([1], to: Sample.level) }
        var calls = scene.responder.calls.makeAsyncIterator()
        while await calls.next()?.contains("writes") == false {}
        let updates = (0..<300).map { _ in
            Task { try await scene.publication.update(Sample.level, to: [1]) }
        }
        while await scene.air.heldValueCount < 256 { await Task.yield() }
        await scene.air.endPublications()
        var refusedCount = 0
        for update in updates {
            do {
                try await update.value
            } catch let error as RadioError where error.code == .withdrawn {
                refusedCount += 1
            }
        }
        #expect(refusedCount == 44)
        await scene.responder.release()
        _ = await write.result
    }

    @Test func `wait for room among indications`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.alert)
        await scene.central.simulateConfirmations(false)
        let updates = Task {
            for value in 0..<400 {
                try await scene.publication.update(Sample.alert, to: [UInt8(value % 256)])
            }
        }
        while await scene.air.indicationCount < 257 { await Task.yield() }
        await scene.central.simulateConfirmations(true)
        await scene.clock.pass(.seconds(30))
        #expect(await link.values(400) == (0..<400).map { [UInt8($0 % 256)] })
        try await updates.value
    }

    @Test func `fail for what cannot be sent`() async throws {
        let scene = try await Scene()
        let publication = scene.publication
        let none = AttributeID(service: Sample.service, characteristic: "2AFF")
        await expect(.missingAttribute) { try await publication.update(none, to: [1]) }
        let value = [UInt8](repeating: 7, count: 513)
        await expect(.valueTooLong) { try await publication.update(Sample.level, to: value) }
        await publication.withdraw()
        await expect(.withdrawn) { try await publication.update(Sample.level, to: [1]) }
    }

    // MARK: - One central

    @Test func `reach one central alone`() async throws {
        let scene = try await Scene(options: .individualNotifications)
        let (phone, tablet) = (scene.central, await scene.air.radio("Tablet"))
        let links = [try await scene.link(), try await scene.link(tablet)]
        for link in links { try await link.subscribe(to: Sample.level) }
        await #expect {
            try await scene.publication.notify([], to: phone.peer, of: Sample.level)
        } throws: {
            ($0 as? RadioError)?.code == .valueTooLong
        }
        try await scene.publication.notify([1], to: phone.peer, of: Sample.level)
        try await scene.publication.notify([2], to: tablet.peer, of: Sample.level)
        #expect(await links[0].values(1) == [[1]])
        #expect(await links[1].values(1) == [[2]])
        try await links[0].unsubscribe(from: Sample.level)
        await expect(.peerGone) {
            try await scene.publication.notify([1], to: phone.peer, of: Sample.level)
        }
    }

    @Test func `reach one central alone only with that option and feature`() async throws {
        let scene = try await Scene()
        await expect(.unsupported) {
            try await scene.publication.notify([1], to: scene.central.peer, of: Sample.level)
        }
        var configuration = MemoryRadio.Configuration()
        configuration.features.remove(.individualNotifications)
        await expect(.unsupported) {
            _ = try await Scene(options: .individualNotifications, peripheral: configuration)
        }
    }

    @Test func `name each subscriber where the system does, else the first and last`() async throws
    {
        for isNamed in [true, false] {
            var configuration = MemoryRadio.Configuration()
            if !isNamed { configuration.features.remove(.namedSubscribers) }
            let scene = try await Scene(
                options: .individualNotifications,
                peripheral: configuration
            )
            let links = [
                try await scene.link(), try await scene.link(scene.air.radio("Tablet")),
            ]
            for link in links { try await link.subscribe(to: Sample.level) }
            try await links[0].unsubscribe(from: Sample.level)
            await links[1].disconnect()
            let expected =
                isNamed
                ? [
                    "Phone subscribed to 2A19/0", "Tablet subscribed to 2A19/0",
                    "Phone unsubscribed from 2A19/0", "Tablet unsubscribed from 2A19/0",
                ] : ["somebody subscribed to 2A19/0", "somebody unsubscribed from 2A19/0"]
            let calls = try await scene.responder.calls.first(4 + expected.count)
            #expect(calls.filter { $0.contains("subscribed") } == expected)
            #expect(calls.last == "Tablet disconnected")
        }
    }

    // MARK: - Streams

    @Test func `have a stream for each consumer, beside the events`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let one = try await link.notifications(of: Sample.level)
        let other = try await link.notifications(of: Sample.level)
        try await scene.publication.update(Sample.level, to: [1])
        try await link.subscribe(to: Sample.level)
        try await scene.publication.update(Sample.level, to: [2])
        #expect(try await one.first(2) == [[1], [2]])
        #expect(await link.values(1) == [[2]])
        await link.disconnect()
        #expect(try await other.first(3) == [[1], [2]])
    }

    @Test func `end the subscription with the last consumer`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        try await link.subscribe(to: Sample.level)
        for _ in 0..<2 {
            let values = try await link.notifications(of: Sample.level)
            try await scene.publication.update(Sample.level, to: [1])
            _ = try await values.first(1)
        }
        try await link.unsubscribe(from: Sample.level)
        let calls = try await scene.responder.calls.first(4)
        #expect(
            calls.suffix(2) == [
                "somebody subscribed to 2A19/0", "somebody unsubscribed from 2A19/0",
            ]
        )
    }

    @Test func `end a stream with the cause of the end`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let values = try await link.notifications(of: Sample.level)
        await scene.air.simulateDisconnection(between: scene.central, and: scene.peripheral)
        await expect(.peerGone) { for try await _ in values {} }
    }

    // MARK: - Slow consumers

    @Test func `end a link that is not consumed, and no other one`() async throws {
        let scene = try await Scene()
        let (slow, other) = (try await scene.link(), try await scene.link())
        let values = try await other.notifications(of: Sample.level)
        try await slow.subscribe(to: Sample.level)
        async let received = values.first(300)
        for value in 0..<300 {
            try await scene.publication.update(Sample.level, to: [UInt8(value % 256)])
        }
        #expect(try await received.count == 300)
        let events = await slow.allEvents()
        #expect(events.last == "disconnected overflow" && events.count == 258)
        _ = try await other.read(Sample.level)
    }

    @Test func `end a stream that is not consumed, and no other one`() async throws {
        let scene = try await Scene()
        let link = try await scene.link()
        let slow = try await link.notifications(of: Sample.level)
        let values = try await link.notifications(of: Sample.level)
        async let received = values.first(300)
        for value in 0..<300 {
            try await scene.publication.update(Sample.level, to: [UInt8(value % 256)])
        }
        #expect(try await received.count == 300)
        await expect(.overflow) { _ = try await slow.first(300) }
        _ = try await link.read(Sample.level)
    }
}
