import BLE
import BLEDBus
import BLEDBusTesting
import Testing
import VirtualBlueZ

@testable import BlueZ

@Suite("Opening an adapter", .timeLimit(.minutes(10)))
struct OpeningTests {
    @Test func `takes the first one with power`() async throws {
        let world = try await World(adapters: ["hci1", "hci10", "hci2"], isPowered: false)
        try await world.daemon.set(
            ["Powered": .bool(true)],
            of: Adapter1.interface,
            at: "/org/bluez/hci10"
        )
        try await world.daemon.set(
            ["Powered": .bool(true)],
            of: Adapter1.interface,
            at: "/org/bluez/hci2"
        )
        let adapter = try await world.open()
        #expect(adapter.name == "hci2")
        #expect(await adapter.state == .on)
        await adapter.close()
    }

    @Test func `takes the first one when none has power`() async throws {
        let world = try await World(adapters: ["hci1", "hci0"], isPowered: false)
        let adapter = try await world.open()
        #expect(adapter.name == "hci0")
        #expect(await adapter.state == .off)
        await #expect {
            _ = try await adapter.scan(ScanFilter())
        } throws: {
            isRadioError(.off)($0)
        }
        await #expect {
            _ = try await adapter.link(to: World.ball)
        } throws: {
            isRadioError(.off)($0)
        }
        await #expect {
            _ = try await adapter.publish(responder: ScriptedResponder())
        } throws: {
            isRadioError(.off)($0)
        }
        await adapter.close()
    }

    @Test func `takes the one that is named`() async throws {
        let world = try await World(adapters: ["hci0", "hci1"])
        let adapter = try await world.open("hci1")
        #expect(adapter.name == "hci1")
        await adapter.close()
    }

    @Test func `fails where the bus's policy does not allow it, and tells the remedy`() async throws
    {
        let bus = try await PrivateBus.start(denying: ["org.bluez"])
        let daemon = try await VirtualDaemon.start(on: bus.address)
        await #expect {
            _ = try await Adapter.open("hci0", at: BusAddress(bus.address))
        } throws: { error in
            let message = (error as? RadioError)?.message ?? ""
            return isRadioError(.notPermitted)(error) && message.contains("AccessDenied")
                && message.contains("usermod -aG bluetooth")
        }
        await daemon.stop()
    }

    @Test(arguments: ["hci7", "no such/name", ""])
    func `fails without the one that is named, and tells which there are`(
        name: String
    ) async throws {
        let world = try await World(adapters: ["hci0", "hci1"])
        await #expect {
            _ = try await world.open(name)
        } throws: { error in
            let text = (error as? RadioError)?.message ?? ""
            return isRadioError(.absent)(error) && text.contains("hci0, hci1")
        }
    }

    @Test func `fails without any adapter`() async throws {
        let world = try await World(adapters: [])
        await #expect { _ = try await world.open() } throws: { isRadioError(.absent)($0) }
        await #expect { _ = try await world.open("hci0") } throws: { isRadioError(.absent)($0) }
    }

    @Test func `fails without a bus, and tells where it was looked for`() async throws {
        await #expect {
            _ = try await Adapter.open(nil, at: BusAddress("unix:path=/nowhere/bus"))
        } throws: { error in
            let text = (error as? RadioError)?.message ?? ""
            return isRadioError(.noService)(error)
                && text.hasPrefix("no system bus at unix:path=/nowhere/bus; start")
        }
    }

    @Test(arguments: [nil, "hci0"])
    func `fails without bluetoothd`(name: String?) async throws {
        let bus = try await PrivateBus.start()
        await #expect {
            _ = try await Adapter.open(name, at: BusAddress(bus.address))
        } throws: { error in
            let text = (error as? RadioError)?.message ?? ""
            return isRadioError(.noService)(error) && text.contains("bluetoothd does not run")
        }
    }

    @Test func `ends with the cancellation of who waits`() async throws {
        let bus = try await PrivateBus.start()
        bus.suspend()
        let task = Task { try await Adapter.open(nil, at: BusAddress(bus.address)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        bus.resume()
    }

    @Test func `lasts as long as a scan of it, and leaves the bus with the last use`() async throws
    {
        let world = try await World()
        let onlooker = try await Connection.open(BusAddress(world.bus.address))
        let (names, continuation) = AsyncStream.makeStream(of: String.self)
        var events: AsyncThrowingStream<ScanEvent, any Error>? =
            try await Self.scan(world, onlooker) { continuation.yield($0) }
        try await world.daemon.hear()
        guard case .seen = try await events?.first(where: { _ in true }) else {
            Issue.record("nothing was seen")
            return
        }
        events = nil
        var left = names.makeAsyncIterator()
        #expect(await left.next() != nil)
        await onlooker.close()
    }

    /// Scans with an adapter to which nobody else refers; tells when it leaves the bus.
    private static func scan(
        _ world: World,
        _ onlooker: Connection,
        onLeave: @escaping @Sendable (String) -> Void
    ) async throws -> AsyncThrowingStream<ScanEvent, any Error> {
        let adapter = try await world.open()
        let name = await adapter.connection.uniqueName
        try await onlooker.watchOwner(of: name) { owner in
            if owner == nil { onLeave(name) }
        }
        return try await adapter.scan(ScanFilter())
    }
}
