import BLE
import BLEDBus
import BLEDBusTesting
import Foundation
import Testing
import VirtualBlueZ

@testable import BlueZ

/// Values that are sent faster than others take them.
@Suite("What is sent faster than it is taken", .timeLimit(.minutes(10)))
struct PaceTests {
    /// How a publication notifies.
    enum Way: CaseIterable {
        case alone, all
    }

    /// How many, where `PACE_VALUES` says so.
    private static let wantedCount =
        ProcessInfo.processInfo.environment["PACE_VALUES"].flatMap { Int($0) }
    private static let count = wantedCount ?? 3_000

    /// What this process has in memory that is of no file, in KiB.
    private static func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
        return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
    }

    /// Expects that what was sent is not kept.
    private static func expectFlat(since before: Int, _ way: Way) throws {
        let growth = try memory() - before
        print("pace | \(way) | \(count) values | \(growth) KiB")
        // Scripts/check says how many, and runs this suite alone; else others of this process have memory, too.
        if wantedCount != nil { #expect(growth < 64 * 1_024, "\(growth) KiB more") }
    }

    @Test(arguments: Way.allCases)
    func `reaches a central that reads nothing for a while, all of it and in order`(
        way: Way
    ) async throws {
        let room = try await Room(.v5_82)
        let notifier = try await Notifier(way, in: room)
        let reader = try await SlowReader(of: Room.output, in: room)
        let before = try Self.memory()
        await reader.connection.suspend()
        for number in 0..<Self.count { try await notifier.send(number) }
        await reader.connection.resume()
        #expect(await reader.next(Self.count) == Array(0..<Self.count))
        try Self.expectFlat(since: before, way)
        await reader.connection.close()
        await room.close()
    }

    @Test(arguments: Way.allCases)
    func `waits while bluetoothd takes nothing, and refuses nothing`(way: Way) async throws {
        let room = try await Room(.v5_82)
        let notifier = try await Notifier(way, in: room)
        let reader = try await SlowReader(of: Room.output, in: room)
        await room.daemon.simulateHang()
        let (sent, progress) = AsyncStream.makeStream(of: Int.self)
        let sending = Task {
            for number in 0..<Self.count {
                try await notifier.send(number)
                progress.yield(number)
            }
            progress.finish()
        }
        // One has its turn, and a second one waits; what it is at when it is cancelled was not sent.
        let cancelled = Task {
            var count = 0
            while (try? await notifier.send(Self.count)) != nil { count += 1 }
            return count
        }
        let publication = try #require(notifier.publication as? PublishedServices)
        let sendingCount = { @Sendable (publication: isolated PublishedServices) in
            switch way {
            case .alone: publication.sockets.first?.socket.sendingCount ?? 0
            case .all: publication.updateTurns.count
            }
        }
        while await sendingCount(publication) < 2 { await Task.yield() }
        cancelled.cancel()
        let otherCount = await cancelled.value
        await room.daemon.simulateContinuation()
        try await sending.value
        var numbers: [Int] = []
        for await number in sent { numbers.append(number) }
        #expect(numbers == Array(0..<Self.count))
        let received = await reader.next(Self.count + otherCount)
        #expect(received.filter { $0 < Self.count } == numbers)
        #expect(received.count { $0 == Self.count } == otherCount)
        await reader.connection.close()
        await room.close()
    }

    @Test func `reaches a central although bluetoothd hangs just when a value comes`() async throws
    {
        let room = try await Room(.v5_82)
        let notifier = try await Notifier(.alone, in: room)
        let reader = try await SlowReader(of: Room.output, in: room)
        // It goes on at any moment after the value has come, within 100 µs.
        for number in 0..<Self.count {
            await room.daemon.simulateHang()
            try await notifier.send(number)
            let end = ContinuousClock.now + .nanoseconds(number % 1_000 * 100)
            while ContinuousClock.now < end {}
            await room.daemon.simulateContinuation()
        }
        #expect(await reader.next(Self.count) == Array(0..<Self.count))
        await reader.connection.close()
        await room.close()
    }

    @Test func `goes on after bluetoothd has said nothing for longer than a call waits`()
        async throws
    {
        let world = try await World()
        let adapter = try await world.open(takingLimit: .milliseconds(100))
        let publication = try await adapter.publish(responder: ScriptedResponder())
        var questions = await world.daemon.holdQuestions(for: "Powered").makeAsyncIterator()
        let sending = Task {
            for number in 0...UpdateQueue.window {
                try await publication.update(World.answer, to: [UInt8(number % 256)])
            }
        }
        // Both that are asked, as there is no room for more; they are never answered.
        let unanswered = [await questions.next(), await questions.next()]
        let again = try #require(await questions.next())
        await world.daemon.answer(again)
        // A reply that comes too late on a busy machine is asked for once more.
        let answering = Task { [questions] in
            var questions = questions
            while let question = await questions.next() { await world.daemon.answer(question) }
        }
        try await sending.value
        answering.cancel()
        await publication.withdraw()
        await adapter.close()
        withExtendedLifetime(unanswered) {}
    }

    @Test func `ends with the publication for all who wait`() async throws {
        let room = try await Room(.v5_82)
        let notifier = try await Notifier(.all, in: room)
        let publication = try #require(notifier.publication as? PublishedServices)
        // The central has the reply to its write a moment before the publication counts it, and values
        // that wait for that are sent at once, however many they are.
        while await publication.updates.isHeld { await Task.yield() }
        await room.daemon.simulateHang()
        let sending = (0..<UpdateQueue.window + 10).map { number in
            Task { try await notifier.send(number) }
        }
        while await publication.updates.hasRoom { await Task.yield() }
        await room.daemon.kill()
        var refusedCount = 0
        for task in sending {
            do {
                try await task.value
            } catch let error as RadioError where error.code == .withdrawn {
                refusedCount += 1
            }
        }
        #expect(refusedCount == 10)
        await room.close()
    }

    @Test func `takes each write command, or says how many are lost`() async throws {
        let room = try await Room(.v5_82)
        let counter = SlowCounter()
        _ = try await room.serving.publish(
            Room.services,
            advertising: Advertisement(serviceUUIDs: [Room.service]),
            options: .lostRefusals,
            responder: counter
        )
        let link = try await room.link()
        for number in 0..<Self.count {
            try await link.writeWithoutResponse([UInt8(number % 256)], to: Room.input)
        }
        for await (received, lost) in counter.counts where received + lost == Self.count {
            break
        }
        await room.close()
    }
}

/// A publication that sends numbers to the one central of a room.
private struct Notifier: Sendable {
    let publication: any Publication
    private let way: PaceTests.Way
    private let link: any Link
    private let central: PeerID

    init(_ way: PaceTests.Way, in room: Room) async throws {
        self.way = way
        publication = try await room.publish([.lostRefusals, .individualNotifications])
        link = try await room.link()
        try await link.write([0], to: Room.input)
        var calls = room.responder.calls.makeAsyncIterator()
        guard case .write(_, _, let request) = await calls.next() else { throw CancellationError() }
        central = request.central
    }

    func send(_ number: Int) async throws {
        let value = withUnsafeBytes(of: Int32(number).littleEndian) { [UInt8]($0) }
        switch way {
        case .alone: try await publication.notify(value, to: central, of: Room.output)
        case .all: try await publication.update(Room.output, to: value)
        }
    }
}

/// Another program beside the room's central that is subscribed, and reads when it is told to.
private struct SlowReader {
    let connection: Connection
    private let numbers: AsyncStream<Int>

    init(of characteristic: AttributeID, in room: Room) async throws {
        connection = try await Connection.open(BusAddress(room.bus.address))
        let (numbers, number) = AsyncStream.makeStream(of: Int.self)
        self.numbers = numbers
        let objects = try await connection.call(.managedObjects)
        var mirror = ObjectMirror { $0 == GattCharacteristic1.interface }
        try mirror.load(objects)
        let found = mirror.objects(with: GattCharacteristic1.interface).first { _, properties in
            properties["UUID"]?.string?.uppercased() == characteristic.characteristic.longText
        }
        let path = try #require(found?.path)
        let rule = MatchRule(interface: "org.freedesktop.DBus.Properties", path: path)
        try await connection.subscribe(to: rule) { signal in
            guard let value = try? signal.body()[1].properties?["Value"]?.bytes else { return }
            number.yield(value.enumerated().reduce(0) { $0 | Int($1.element) << (8 * $1.offset) })
        }
        var events = room.responder.events.makeAsyncIterator()
        _ = try await connection.call(.bluez(path, GattCharacteristic1.interface, "StartNotify"))
        while let event = await events.next() {
            if case .subscribed(Room.output, _?) = event { break }
        }
    }

    func next(_ count: Int) async -> [Int] {
        var received: [Int] = []
        for await number in numbers {
            received.append(number)
            if received.count == count { break }
        }
        return received
    }
}

/// Takes a millisecond for each write, and counts.
private actor SlowCounter: GATTResponder {
    nonisolated let counts: AsyncStream<(received: Int, lost: Int)>
    private let count: AsyncStream<(received: Int, lost: Int)>.Continuation
    private var received = 0
    private var lost = 0

    init() {
        (counts, count) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func write(
        _ value: [UInt8],
        to characteristic: AttributeID,
        _ request: GATTRequest
    ) async throws(ATTError) {
        // What a slow responder does; nothing is waited for.
        try? await Task.sleep(for: .milliseconds(1))
        received += 1
        count.yield((received, lost))
    }

    func handle(_ event: PublicationEvent) {
        guard case .lostWrites(let number, _, _) = event else { return }
        lost += number
        count.yield((received, lost))
    }
}
