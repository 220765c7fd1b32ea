import DBus
import Foundation
import Testing
import VirtualBlueZ

/// Whatever a tool is doing, a signal ends it, and nothing stays registered.
@Suite("An interrupted tool", .timeLimit(.minutes(1)))
struct InterruptionTests {
    private static let peer: ObjectPath = "/org/bluez/hci0/dev_00_AA_01_01_00_01"

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func `stops scanning`(signal: Int32, status: Int32) async throws {
        let world = try await World()
        let asker = try world.tool("eightball-ask", "--adapter", "hci0", "--json", "Who?")
        let observer = try await world.observer()
        try await observer.wait(for: "Discovering", of: "Adapter1", at: "/org/bluez/hci0") {
            $0?.bool == true
        }
        asker.send(signal)
        #expect(await asker.end().status == status)
        try await observer.wait(for: "Discovering", of: "Adapter1", at: "/org/bluez/hci0") {
            $0?.bool == false
        }
    }

    @Test func `takes a connection back that is being made`() async throws {
        let world = try await World(.init(connecting: .seconds(30)))
        let ball = try await world.ball()
        let asker = try world.tool("eightball-ask", "--adapter", "hci0", "--json", "Who?")
        let observer = try await world.observer()
        try await asker.line(with: "sighting")
        try await observer.wait(for: "Discovering", of: "Adapter1", at: "/org/bluez/hci0") {
            $0?.bool == false
        }
        asker.send(SIGINT)
        #expect(await asker.end().status == 130)
        #expect(
            try await observer.property("Connected", of: "Device1", at: Self.peer)?.bool == false
        )
        ball.send(SIGINT)
    }

    @Test func `ends the link while services are read, and while an answer is awaited`()
        async throws
    {
        let world = try await World(
            .init(resolving: .seconds(30), disconnecting: .milliseconds(20))
        )
        let ball = try await world.ball()
        let asker = try world.tool("eightball-ask", "--adapter", "hci0", "--json", "Who?")
        let observer = try await world.observer()
        try await asker.line(with: "sighting")
        try await observer.wait(for: "Connected", of: "Device1", at: Self.peer) { $0?.bool == true }
        asker.send(SIGTERM)
        #expect(await asker.end().status == 143)
        try await observer.wait(for: "Connected", of: "Device1", at: Self.peer) {
            $0?.bool == false
        }
        ball.send(SIGINT)
    }

    @Test func `takes its question back`() async throws {
        let world = try await World(.init(disconnecting: .milliseconds(20)))
        let ball = try await ScriptedBall(in: world) { _, call in call.reply() }
        let asker = try world.tool(
            "eightball-ask",
            "--adapter",
            "hci0",
            "--json",
            "--timeout",
            "60",
            "Who?"
        )
        try await asker.line(with: #""event":"asked""#)
        asker.send(SIGINT)
        #expect(await asker.end().status == 130)
        let observer = try await world.observer()
        try await observer.wait(for: "Connected", of: "Device1", at: Self.peer) {
            $0?.bool == false
        }
        withExtendedLifetime(ball) {}
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func `no longer serves nor advertises`(signal: Int32, status: Int32) async throws {
        let world = try await World()
        let ball = try await world.ball()
        ball.send(signal)
        #expect(await ball.end().status == status)
        let observer = try await world.observer()
        let hci1: ObjectPath = "/org/bluez/hci1"
        let active = try await observer.property(
            "ActiveInstances",
            of: "LEAdvertisingManager1",
            at: hci1
        )
        #expect(active?.integer == 0)
        let uuids = try await observer.property("UUIDs", of: "Adapter1", at: hci1)?.strings ?? []
        #expect(!uuids.contains("8e38140a-27be-4090-8955-4fc4b5698d1e"))
    }
}
