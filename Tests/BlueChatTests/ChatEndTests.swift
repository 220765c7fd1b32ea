import BLE
import BLETesting
import Testing

@testable import BlueChat

@Suite("The end of a chat", .timeLimit(.minutes(10)))
struct ChatEndTests {
    /// A bluetoothd that has gone says nothing of connections.
    @Test func `is told with the reason when the own radio has gone`() async throws {
        let scene = try await ChatScene()
        let bobs = await scene.bob.events
        try await scene.start()
        _ = try await scene.call(bobs)
        let number = try #require(await scene.bob.publication?.number)
        let reason = RadioError(.noService, "bluetoothd does not run")
        await scene.bob.handle(.ended(reason), of: number)
        for await case .ended(_, let error) in bobs {
            #expect(error?.code == .ended)
            #expect((error?.underlying as? ChatError)?.code == .bluetoothAbsent)
            break
        }
        await scene.alice.stop()
        await scene.bob.stop()
    }

    /// An archive takes longer than the connection lasts.
    @Test func `is told after what came before it, and before the next chat`() async throws {
        let bobs = MemoryArchive()
        let scene = try await ChatScene(isOriginal: false, archives: (MemoryArchive(), bobs))
        let events = await scene.bob.events
        try await scene.start()
        let (called, _) = try await scene.call(events)
        let gate = Promise<Void>()
        await bobs.hold(gate)
        let message = try ChatMessage(.text("kept"), time: 0)
        let sending = Task { try await called.send(message) }
        while await bobs.callCount == 0 { await Task.yield() }
        await scene.air.simulateDisconnection(between: scene.aliceRadio, and: scene.bobRadio)
        await expectFailure(.ended) { try await sending.value }
        while await !scene.bob.callingDevices.isEmpty { await Task.yield() }
        _ = try await scene.pass { try await scene.alice.call(scene.bobRadio.peer) }
        while await scene.bob.callerKeys.isEmpty { await Task.yield() }
        await bobs.hold(nil)
        gate.fulfil()
        var told: [String] = []
        for await event in events {
            switch event {
            case .receivedMessage(let received, _): told.append("\(received == message)")
            case .ended(_, let error): told.append("\(error?.code == .ended)")
            case .began: told.append("next")
            default: continue
            }
            if told.count == 3 { break }
        }
        #expect(told == ["true", "true", "next"])
        try await scene.pass {
            await scene.alice.stop()
            await scene.bob.stop()
        }
    }
}

extension Messenger {
    /// Who has shown a key in a session that is on.
    fileprivate var callerKeys: [ChatKey] {
        callingDevices.values.flatMap(\.ends.values).compactMap(\.key)
    }
}
