import BLE
import BLEDBus
import BLEDBusTesting
import Testing

@testable import BlueZ

@Suite("Publishing", .timeLimit(.minutes(10)))
struct PublishingTests {
    @Test func `shows its service and advertisement while it registers them`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var applications = await world.daemon.hold("RegisterApplication").makeAsyncIterator()
        var advertisements = await world.daemon.hold("RegisterAdvertisement").makeAsyncIterator()
        let task = Task { try await adapter.publish(responder: ScriptedResponder()) }

        let application = try #require(await applications.next())
        let root = try #require(try application.message.body().first?.objectPath)
        let managed = try await world.daemon.call(
            root,
            of: application.sender,
            "GetManagedObjects",
            [],
            "org.freedesktop.DBus.ObjectManager"
        )
        let entries = managed.first?.entries ?? []
        #expect(entries.count == 3)
        for entry in entries {
            let path = try #require(entry.key.objectPath)
            #expect(path.isWithin(root) && path != root)
            for interface in entry.value.entries ?? [] {
                let properties = interface.value.properties ?? [:]
                switch interface.key.string {
                case GattService1.interface:
                    #expect(properties["UUID"] == .string(ScriptedDaemon.serviceUUID))
                    #expect(properties["Primary"] == .bool(true))
                case GattCharacteristic1.interface:
                    let isQuestion = properties["UUID"]?.string == ScriptedDaemon.questionUUID
                    let flags = isQuestion ? ["write"] : ["read", "notify"]
                    #expect(properties["Flags"] == .strings(flags))
                    #expect(properties["Service"]?.objectPath == path.parent)
                default: break
                }
            }
        }
        application.reply()

        let advertisement = try #require(await advertisements.next())
        let path = try #require(try advertisement.message.body().first?.objectPath)
        let all = try await world.daemon.call(
            path,
            of: advertisement.sender,
            "GetAll",
            [.string(LEAdvertisement1.interface)],
            "org.freedesktop.DBus.Properties"
        )
        #expect(
            all.first?.properties == [
                "Type": .string("peripheral"), "Discoverable": .bool(true),
                "LocalName": .string("8-Ball"),
                "ServiceUUIDs": .strings([ScriptedDaemon.serviceUUID]),
            ]
        )
        advertisement.reply()
        _ = try await task.value
        await adapter.close()
        #expect(await world.daemon.count("UnregisterAdvertisement") == 1)
        #expect(await world.daemon.count("UnregisterApplication") == 1)
    }

    @Test func `keeps its adapter open no longer than it lasts`() async throws {
        let world = try await World()
        weak var weakAdapter: Adapter?
        do {
            let adapter = try await world.open()
            weakAdapter = adapter
            let publication = try await adapter.publish(responder: ScriptedResponder())
            let advertising = try await adapter.advertise(Advertisement(serviceUUIDs: []))
            await publication.withdraw()
            await advertising.stop()
        }
        // It goes with the last task that used it.
        while weakAdapter != nil { await Task.yield() }
    }

    @Test func `tells new values in order`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let publication = try await adapter.publish(responder: ScriptedResponder())
        var values = try await world.daemon.values().makeAsyncIterator()
        for value in 0..<20 {
            try await publication.update(World.answer, to: [UInt8(value / 2)])
        }
        for value in 0..<20 { #expect(await values.next() == [UInt8(value / 2)]) }
        await #expect {
            try await publication.update(
                AttributeID(service: World.service, characteristic: World.service),
                to: []
            )
        } throws: {
            isRadioError(.missingAttribute)($0)
        }
        let long = [UInt8](repeating: 0, count: 513)
        await #expect {
            try await publication.update(World.answer, to: long)
        } throws: {
            isRadioError(.valueTooLong)($0)
        }
        await adapter.close()
    }

    @Test func `checks what it is to publish before it says anything`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let name = String(repeating: "8", count: 30)
        await #expect {
            _ = try await adapter.publish(named: name, responder: ScriptedResponder())
        } throws: {
            isRadioError(.invalidAdvertisement)($0)
        }
        let service = GATTService(
            uuid: World.service,
            characteristics: [
                GATTCharacteristic(
                    uuid: World.question.characteristic,
                    properties: [.write, .writeWithoutResponse]
                )
            ]
        )
        await #expect {
            _ = try await adapter.publish(
                service,
                advertising: Advertisement(localName: "", serviceUUIDs: []),
                responder: ScriptedResponder()
            )
        } throws: {
            isRadioError(.unsupported)($0)
        }
        #expect(await world.daemon.count("RegisterApplication") == 0)
        await adapter.close()
    }

    @Test func `takes its application back when the advertisement is refused`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("RegisterAdvertisement").makeAsyncIterator()
        let task = Task { try await adapter.publish(responder: ScriptedResponder()) }
        let refusal = ErrorReply(BlueZError.notPermitted, "Maximum advertisements reached")
        await calls.next()?.fail(refusal)
        await #expect { _ = try await task.value } throws: { isRadioError(.limitReached)($0) }
        await world.daemon.wasCalled("UnregisterApplication")
        #expect(await world.daemon.count("UnregisterAdvertisement") == 0)
        await adapter.close()
    }

    @Test(arguments: ["RegisterApplication", "RegisterAdvertisement"])
    func `takes all back when it is cancelled`(member: String) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold(member).makeAsyncIterator()
        let task = Task { try await adapter.publish(responder: ScriptedResponder()) }
        let call = try #require(await calls.next())
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await world.daemon.wasCalled("UnregisterApplication")
        // Not before bluetoothd has replied.
        #expect(await world.daemon.count("UnregisterAdvertisement") == 0)
        call.reply()
        await adapter.close()
        let count = member == "RegisterAdvertisement" ? 1 : 0
        #expect(await world.daemon.count("UnregisterAdvertisement") == count)
    }

    @Test func `is withdrawn once, also by a task that is cancelled`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let publication = try await adapter.publish(responder: ScriptedResponder())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await publication.withdraw()
        }
        task.cancel()
        await task.value
        #expect(await world.daemon.count("UnregisterAdvertisement") == 1)
        #expect(await world.daemon.count("UnregisterApplication") == 1)
        await publication.withdraw()
        #expect(await world.daemon.count("UnregisterApplication") == 1)
        await #expect {
            try await publication.update(World.answer, to: [])
        } throws: {
            isRadioError(.withdrawn)($0)
        }
        await adapter.close()
    }

    @Test func `has paths of its own for each publication`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("RegisterApplication").makeAsyncIterator()
        var paths: Set<ObjectPath> = []
        for _ in 0..<3 {
            let task = Task { try await adapter.publish(responder: ScriptedResponder()) }
            let call = try #require(await calls.next())
            paths.insert(try #require(try call.message.body().first?.objectPath))
            call.reply()
            await (try task.value).withdraw()
        }
        #expect(paths.count == 3)
        await adapter.close()
    }

    /// Each way in which a publication ends of itself.
    enum Loss: CaseIterable {
        case unplugged, daemon, bus
    }

    @Test(arguments: Loss.allCases)
    func `ends with what it depends on`(loss: Loss) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let responder = ScriptedResponder()
        let publication = try await adapter.publish(responder: responder)
        let code: RadioError.Code
        switch loss {
        case .unplugged:
            try await world.daemon.remove(ScriptedDaemon.adapter)
            code = .absent
        case .daemon:
            await world.daemon.stop()
            code = .noService
        case .bus:
            world.bus.stop()
            code = .noService
        }
        var events = responder.events.makeAsyncIterator()
        guard case .ended(let error) = await events.next() else {
            Issue.record("the end was not told")
            return
        }
        #expect(error.code == code)
        await #expect {
            try await publication.update(World.answer, to: [])
        } throws: {
            isRadioError(.withdrawn)($0)
        }
        await publication.withdraw()
        await adapter.close()
    }

    @Test func `outlives the adapter's power`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        let publication = try await adapter.publish(responder: ScriptedResponder())
        var states = await adapter.states().makeAsyncIterator()
        for isPowered in [false, true] {
            _ = await states.next()
            try await world.daemon.set(
                ["Powered": .bool(isPowered)],
                of: Adapter1.interface,
                at: ScriptedDaemon.adapter
            )
        }
        #expect(await states.next() == .on)
        try await publication.update(World.answer, to: [])
        await adapter.close()
    }
}
