import BLE
import BLEDBus
import Testing
import VirtualBlueZ

@testable import BlueZ

@Suite("An advertisement apart from what is published", .timeLimit(.minutes(10)))
struct AdvertisingTests {
    private static let content: Advertisement = {
        var content = Advertisement(localName: "Lamp", serviceUUIDs: ["180F"])
        content.manufacturerData = [0xFFFF: [1, 2, 3]]
        content.serviceData = ["180F": [87]]
        content.appearance = 0x0180
        return content
    }()

    @Test func `shows its data to whoever scans`() async throws {
        let room = try await Room()
        let advertising = try await room.serving.advertise(Self.content)
        let before = ContinuousClock.now
        let sighting = try await room.find(ScanFilter(services: ["1800", "180F"]))
        #expect(sighting.name == "Lamp")
        #expect(sighting.manufacturerData == [0xFFFF: [1, 2, 3]])
        #expect(sighting.serviceData == ["180F": [87]])
        #expect(sighting.appearance == 0x0180)
        #expect(try #require(sighting.time) >= before)
        #expect(sighting.isConnectable == nil)
        await advertising.stop()
        try await advertising.waitUntilEnded()
        await room.close()
    }

    @Test func `can be changed, paused and resumed`() async throws {
        let room = try await Room()
        let advertising = try await room.serving.advertise(Self.content)
        var changed = Self.content
        changed.localName = "Torch"
        changed.manufacturerData = [0xFFFF: [4]]
        try await advertising.update(changed)
        var sightings = try await room.centrals[0].scan(ScanFilter(name: "Torch"))
            .makeAsyncIterator()
        guard case .seen(let sighting) = try await sightings.next() else {
            Issue.record("it was not seen again")
            return
        }
        #expect(sighting.manufacturerData == [0xFFFF: [4]])
        #expect(await room.serving.capabilities.freeAdvertisementCount == 4)
        try await advertising.pause()
        try await advertising.pause()
        #expect(await room.serving.capabilities.freeAdvertisementCount == 5)
        changed.localName = "Beacon"
        try await advertising.update(changed)
        try await advertising.resume()
        try await advertising.resume()
        #expect(try await room.find(ScanFilter(name: "Beacon")).name == "Beacon")
        await advertising.stop()
        await #expect { try await advertising.resume() } throws: {
            isRadioError(.withdrawn)($0)
        }
        await room.close()
    }

    @Test(arguments: [true, false])
    func `stays when it could not be changed`(isCancelled: Bool) async throws {
        let room = try await Room()
        let advertising = try await room.serving.advertise(Self.content)
        let fault = CallFault.failure(
            "org.bluez.Error.NotPermitted",
            "Maximum advertisements reached"
        )
        await room.daemon.simulateCallFault(
            isCancelled ? .late(by: .milliseconds(20)) : fault,
            on: "org.bluez.LEAdvertisingManager1.RegisterAdvertisement"
        )
        var changed = Self.content
        changed.localName = "Torch"
        let update = Task { [changed] in try await advertising.update(changed) }
        if isCancelled {
            update.cancel()
            await #expect(throws: CancellationError.self) { try await update.value }
        } else {
            await #expect { try await update.value } throws: { isRadioError(.limitReached)($0) }
        }
        #expect(await room.serving.capabilities.freeAdvertisementCount == 4)
        #expect(try await room.find(ScanFilter(services: ["180F"])).name == "Lamp")
        // It can be changed still.
        try await advertising.update(changed)
        #expect(try await room.find(ScanFilter(name: "Torch")).name == "Torch")
        await room.close()
    }

    /// bluetoothd would refuse it, as it is registered already, and keep the registration that nobody wants.
    @Test func `is resumed once bluetoothd has undone what was cancelled`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let advertising = try #require(
            try await adapter.advertise(Self.content) as? PublishedAdvertisement
        )
        try await advertising.pause()
        var calls = await world.daemon.hold("RegisterAdvertisement").makeAsyncIterator()
        let cancelled = Task { try await advertising.resume() }
        let call = await calls.next()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let resuming = Task { try await advertising.resume() }
        while await advertising.takingBackWaits.isEmpty,
            await world.daemon.count("RegisterAdvertisement") == 2
        {
            await Task.yield()
        }
        #expect(await world.daemon.count("RegisterAdvertisement") == 2)
        call?.reply()
        let next = await calls.next()
        #expect(await world.daemon.count("UnregisterAdvertisement") == 2)
        next?.reply()
        try await resuming.value
        await advertising.stop()
        #expect(await world.daemon.count("UnregisterAdvertisement") == 3)
        await adapter.close()
    }

    @Test func `is not begun when the power went while it waited for one that was cancelled`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("RegisterAdvertisement").makeAsyncIterator()
        let cancelled = Task { try await adapter.advertise(Self.content) }
        let call = await calls.next()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        let waiting = Task { try await adapter.advertise(Self.content) }
        let former = try #require(await adapter.advertisements.first)
        while await former.takingBackWaits.isEmpty { await Task.yield() }
        try await world.daemon.set(
            ["Powered": .bool(false)],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
        call?.reply()
        await #expect { _ = try await waiting.value } throws: { isRadioError(.off)($0) }
        #expect(await world.daemon.count("RegisterAdvertisement") == 1)
        await adapter.close()
    }

    @Test(arguments: [true, false])
    func `is off the air when a call that stops it returns, though another took it off`(
        isPaused: Bool
    ) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let advertising = try #require(
            try await adapter.advertise(Self.content) as? PublishedAdvertisement
        )
        var calls = await world.daemon.hold("UnregisterAdvertisement").makeAsyncIterator()
        let first = Task {
            if isPaused { try await advertising.pause() } else { await advertising.stop() }
        }
        let call = await calls.next()
        let stop = Task { await advertising.stop() }
        while await advertising.takingBackWaits.count < 2 { await Task.yield() }
        call?.reply()
        await stop.value
        #expect(await advertising.isOver)
        try await first.value
        #expect(await world.daemon.count("UnregisterAdvertisement") == 1)
        await adapter.close()
    }

    @Test func `is refused when there are too many, with their number`() async throws {
        let room = try await Room()
        let count = try #require(await room.serving.capabilities.advertisementCount)
        #expect(count == 5)
        var all: [any Advertising] = []
        for number in 0..<count {
            all.append(
                try await room.serving.advertise(
                    Advertisement(localName: "\(number)", serviceUUIDs: [])
                )
            )
        }
        await #expect {
            _ = try await room.serving.advertise(Self.content)
        } throws: { error in
            isRadioError(.limitReached)(error)
                && "\(error)".hasSuffix("5 of 5 advertisements are in use")
        }
        await all.removeFirst().stop()
        let last = try await room.serving.advertise(Self.content)
        // One that was paused may find its place taken.
        try await last.pause()
        let other = try await room.serving.advertise(Self.content)
        await #expect { try await last.resume() } throws: { isRadioError(.limitReached)($0) }
        await other.stop()
        try await last.resume()
        await room.close()
    }

    @Test func `is checked before it is sent`() async throws {
        let room = try await Room()
        var long = Self.content
        long.serviceData = ["180F": [UInt8](repeating: 0, count: 20)]
        await #expect { _ = try await room.serving.advertise(long) } throws: {
            isRadioError(.invalidAdvertisement)($0)
        }
        let advertising = try await room.serving.advertise(Self.content)
        await #expect { try await advertising.update(long) } throws: {
            isRadioError(.invalidAdvertisement)($0)
        }
        #expect(try await room.find(ScanFilter(name: "Lamp")).name == "Lamp")
        var fast = Self.content
        fast.interval = .milliseconds(5) ... .milliseconds(30)
        await #expect { _ = try await room.serving.advertise(fast) } throws: {
            isRadioError(.invalidAdvertisement)($0)
        }
        await room.close()
    }

    @Test func `ends with the adapter, and says why`() async throws {
        let room = try await Room()
        let advertising = try await room.serving.advertise(Self.content)
        let end = Task { try await advertising.waitUntilEnded() }
        await room.daemon.simulateUnplugging(of: 1)
        await #expect { try await end.value } throws: { isRadioError(.absent)($0) }
        await #expect { try await advertising.pause() } throws: { isRadioError(.withdrawn)($0) }
        await room.close()
    }

    @Test func `serves without one, and connects a central that knows the address`() async throws {
        let room = try await Room()
        let publication = try await room.serving.publish(
            Room.services,
            advertising: nil,
            options: .lostRefusals,
            responder: room.responder
        )
        let advertising = try await room.serving.advertise(
            Advertisement(serviceUUIDs: [Room.service])
        )
        let link = try await room.link()
        await advertising.stop()
        try await link.write([1], to: Room.input)
        try await link.subscribe(to: Room.output)
        try await publication.update(Room.output, to: [2])
        var events = link.events.makeAsyncIterator()
        #expect(await events.next()?.value == [2])
        await publication.withdraw()
        await room.close()
    }
}
