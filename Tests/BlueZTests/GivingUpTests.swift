import BLE
import BLEDBus
import BLEDBusTesting
import BLETesting
import Testing

@testable import BlueZ

/// Attempts to connect that end before there is a link.
@Suite("Giving up connecting", .timeLimit(.minutes(10)))
struct GivingUpTests {
    @Test(arguments: [true, false])
    func `takes the attempt back when it is cancelled`(isLinked: Bool) async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        if isLinked { call?.reply() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await world.daemon.wasCalled("Disconnect")
        // The next attempt is another one.
        try await world.link(adapter, replyingTo: &calls)
        await adapter.close()
    }

    /// Found by a schedule.
    ///
    /// bluetoothd shows the link of the attempt before as there until it has ended it; that is none of
    /// another program, which would be left alone.
    @Test func `is ended when it is cancelled while the one before is being ended`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var connects = await world.daemon.hold("Connect").makeAsyncIterator()
        var disconnects = await world.daemon.hold("Disconnect").makeAsyncIterator()
        var unanswered: [MethodCall?] = []
        for _ in 0..<2 {
            let task = Task { try await adapter.connect(to: World.ball) }
            unanswered.append(await connects.next())
            try await world.tell(["Connected": .bool(true)])
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            unanswered.append(await disconnects.next())
        }
        #expect(await world.daemon.count("Disconnect") == 2)
        await adapter.close(waitsForDisconnection: false)
        withExtendedLifetime(unanswered) {}
    }

    @Test func `leaves another program's link alone when it is cancelled before it knows of that`()
        async throws
    {
        let world = try await World()
        try await world.tell(["Connected": .bool(true)])
        let adapter = try await world.open()
        var questions = await world.daemon.holdQuestions(for: "Connected").makeAsyncIterator()
        let task = Task { try await adapter.connect(to: World.ball) }
        let question = await questions.next()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await world.daemon.untilHandled()
        #expect(await world.daemon.count("Disconnect") == 0)
        await adapter.close()
        withExtendedLifetime(question) {}
    }

    @Test func `leaves another program's link alone when it is closed while the discovery stops`()
        async throws
    {
        let world = try await World()
        try await world.tell(["Connected": .bool(true)])
        let adapter = try await world.open()
        let events = try await adapter.scan(ScanFilter())
        var stops = await world.daemon.hold("StopDiscovery").makeAsyncIterator()
        let task = Task { try await adapter.connect(to: World.ball) }
        let stop = await stops.next()
        await adapter.close(waitsForDisconnection: false)
        await #expect { _ = try await task.value } throws: { isRadioError(.absent)($0) }
        await world.daemon.untilHandled()
        #expect(await world.daemon.count("Disconnect") == 0)
        withExtendedLifetime((events, stop)) {}
    }

    /// How an attempt may end before its time.
    enum Loss: CaseIterable {
        case power, adapter, daemon, bus

        var code: RadioError.Code {
            switch self {
            case .power: .off
            case .adapter: .absent
            case .daemon, .bus: .noService
            }
        }
    }

    @Test(arguments: Loss.allCases)
    func `fails at once with what it depends on`(loss: Loss) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let task = Task { try await adapter.link(to: World.ball) }
        await world.daemon.wasCalled("Connect")
        switch loss {
        case .power:
            try await world.daemon.set(
                ["Powered": .bool(false)],
                of: Adapter1.interface,
                at: ScriptedDaemon.adapter
            )
        case .adapter:
            try await world.daemon.remove(ScriptedDaemon.adapter)
        case .daemon:
            await world.daemon.stop()
        case .bus:
            world.bus.stop()
        }
        await #expect { _ = try await task.value } throws: { isRadioError(loss.code)($0) }
        await adapter.close()
    }

    @Test func `is taken back with its adapter's closing`() async throws {
        let world = try await World()
        let adapter = try await world.open()
        var calls = await world.daemon.hold("Connect").makeAsyncIterator()
        let task = Task { try await adapter.link(to: World.ball) }
        let call = await calls.next()
        await adapter.close()
        await #expect { _ = try await task.value } throws: { isRadioError(.absent)($0) }
        await world.daemon.wasCalled("Disconnect")
        await #expect {
            _ = try await adapter.link(to: World.ball)
        } throws: {
            isRadioError(.absent)($0)
        }
        withExtendedLifetime(call) {}
    }
}
