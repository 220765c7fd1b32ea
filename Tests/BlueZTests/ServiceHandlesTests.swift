import BLE
import BLEDBus
import Testing

@testable import BlueZ

@Suite("Handles of services", .timeLimit(.minutes(10)))
struct ServiceHandlesTests {
    /// A ball takes nine at most, a battery five.
    private static let services = [
        GATTService(
            uuid: World.service,
            characteristics: [
                GATTCharacteristic(uuid: World.question.characteristic, properties: .write),
                GATTCharacteristic(uuid: World.answer.characteristic, properties: .notify),
            ]
        ),
        GATTService(
            uuid: "180F",
            characteristics: [GATTCharacteristic(uuid: "2A19", properties: .read)]
        ),
    ]

    private func choose(on adapter: String, besides last: Range<Int>? = nil) -> ServiceHandles? {
        ServiceHandles(for: Self.services, on: adapter, besides: last)
    }

    @Test func `are below those of which the hash no longer changes, and not those before`() throws
    {
        var last: Range<Int>?
        for _ in 0..<1_000 {
            let handles = try #require(choose(on: "apart", besides: last))
            #expect(handles.range.count == 14)
            #expect(ServiceHandles.all.contains(handles.range.lowerBound))
            #expect(handles.range.upperBound <= ServiceHandles.all.upperBound)
            #expect(
                handles.services.map(Int.init) == [
                    handles.range.lowerBound, handles.range.lowerBound + 9,
                ]
            )
            #expect(last?.overlaps(handles.range) != true)
            last = handles.range
        }
    }

    /// Those of another adapter are others, though they have the same numbers.
    @Test func `are chosen once, until they are released`() throws {
        var all: [ServiceHandles] = []
        // It ends: each one takes two away.
        while let handles = choose(on: "once") { all.append(handles) }
        #expect(all.count > 16)
        let firsts = all.flatMap(\.services)
        #expect(Set(firsts).count == firsts.count)
        #expect(choose(on: "other") != nil)
        all = []
        #expect(choose(on: "once") != nil)
    }

    @Test func `are not asked for when there are too many`() {
        let characteristic = GATTCharacteristic(uuid: "2A19", properties: .read)
        let service = GATTService(
            uuid: "180F",
            characteristics: Array(repeating: characteristic, count: 128)
        )
        #expect(ServiceHandles(for: [service], on: "large", besides: nil) == nil)
        #expect(ServiceHandles(for: [], on: "none", besides: nil) == nil)
    }

    /// The handle that the application asks for which a call names.
    private func handle(_ call: MethodCall, _ world: World) async throws -> UInt16? {
        let root = try #require(try call.message.body().first?.objectPath)
        let manager = "org.freedesktop.DBus.ObjectManager"
        let reply = try await world.daemon.call(
            root,
            of: call.sender,
            "GetManagedObjects",
            [],
            manager
        )
        let interfaces = (reply.first?.entries ?? []).flatMap { $0.value.entries ?? [] }
        let service = interfaces.first { $0.key.string == GattService1.interface }
        return try #require(service?.value.properties)["Handle"]?.uint16
    }

    @Test func `are any where those that are asked for are refused`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("RegisterApplication").makeAsyncIterator()
        let task = Task { try await adapter.publish(responder: ScriptedResponder()) }
        let first = try #require(await calls.next())
        let handle = try #require(try await handle(first, world))
        #expect(ServiceHandles.all.contains(Int(handle)))
        first.fail(ErrorReply(BlueZError.failed, "Failed to create entry in database"))
        let second = try #require(await calls.next())
        #expect(try await self.handle(second, world) == nil)
        second.reply()
        try await task.value.withdraw()
        #expect(await world.daemon.count("UnregisterApplication") == 1)
        await adapter.close()
    }

    /// Without handles of their own, the last of these would be beyond 1,023.
    @Test(.timeLimit(.minutes(10)))
    func `stay such that centrals learn of the end, however many were published`() async throws {
        let pair = try await Pair()
        for _ in 0..<200 { try await pair.answering.publish(responder: pair.responder).withdraw() }
        let (publication, link) = try await pair.meet()
        await publication.withdraw()
        for await case .servicesInvalidated(let services) in link.events {
            #expect(services == [World.service])
            break
        }
        await pair.close()
    }
}
