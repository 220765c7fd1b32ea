import BLE
import BLEDBus
import Foundation
import Testing
import VirtualBlueZ

/// Whatever a tool is doing, a signal ends it, and nothing stays registered.
@Suite("An interrupted tool", .timeLimit(.oneCheck))
struct InterruptionTests {
    private static let hci0: ObjectPath = "/org/bluez/hci0"
    private static let hci1: ObjectPath = "/org/bluez/hci1"

    /// How to interrupt a tool, and how it has to end.
    enum Interruption: String, CaseIterable {
        case interrupted, terminated

        var signal: Int32 { self == .interrupted ? SIGINT : SIGTERM }
        var status: Int32 { 128 + signal }
    }

    @Test(arguments: Interruption.allCases)
    func `stops scanning`(when interruption: Interruption) async throws {
        try await check("stops scanning when \(interruption)") { world in
            let asker = try world.asker("--json", "--scan-for", "60", "Who?")
            let observer = try await world.observer()
            try await observer.wait(for: "Discovering", of: "Adapter1", at: Self.hci0) {
                $0?.bool == true
            }
            asker.send(interruption.signal)
            #expect(await asker.end().status == interruption.status)
            try await observer.wait(for: "Discovering", of: "Adapter1", at: Self.hci0) {
                $0?.bool == false
            }
        }
    }

    @Test func `takes a connection back that is being made`() async throws {
        try await check(timing: Timing(connecting: .seconds(30))) { world in
            let ball = try await ScriptedBall(in: world, isShy: true) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            let monitor = try await BusMonitor(world.bus)
            let asker = try world.asker("--json", "Who?")
            try await monitor.message("Connect")
            let ended = await asker.interrupt()
            #expect(ended.status == 130)
            #expect(!ended.eventNames.contains("connected"))
            try await monitor.message("Disconnect")
            _ = await monitor.end()
            let observer = try await world.observer()
            let isConnected = try await observer.property(
                "Connected",
                of: "Device1",
                at: world.device(1)
            )
            #expect(isConnected?.bool == false)
        }
    }

    @Test func `ends the link while services are read`() async throws {
        try await check(timing: Timing(resolving: .seconds(30), disconnecting: .milliseconds(20))) {
            world in
            let ball = try await ScriptedBall(in: world, ballast: 200) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            let asker = try world.asker("--json", "Who?")
            let observer = try await world.observer()
            let peer = try world.device(1)
            try await asker.line(with: "sighting")
            try await observer.wait(for: "Connected", of: "Device1", at: peer) { $0?.bool == true }
            asker.send(SIGTERM)
            let ended = await asker.end()
            #expect(ended.status == 143)
            #expect(!ended.eventNames.contains("connected"))
            try await observer.wait(for: "Connected", of: "Device1", at: peer) { $0?.bool == false }
        }
    }

    @Test func `takes its question back`() async throws {
        try await check(timing: Timing(disconnecting: .milliseconds(20))) { world in
            let ball = try await ScriptedBall(in: world) { _, call in call.reply() }
            defer { withExtendedLifetime(ball) {} }
            let asker = try world.asker("--json", "--timeout", world.seconds(60), "Who?")
            try await asker.line(with: #""event":"asked""#)
            #expect(await asker.interrupt().status == 130)
            let observer = try await world.observer()
            let peer = try world.device(1)
            try await observer.wait(for: "Connected", of: "Device1", at: peer) { $0?.bool == false }
        }
    }

    @Test(arguments: Interruption.allCases)
    func `no longer serves nor advertises`(when interruption: Interruption) async throws {
        try await check("no longer serves nor advertises when \(interruption)") { world in
            let ball = try await world.ball()
            ball.send(interruption.signal)
            #expect(await ball.end().status == interruption.status)
            let observer = try await world.observer()
            let hci1: ObjectPath = "/org/bluez/hci1"
            let active = try await observer.property(
                "ActiveInstances",
                of: "LEAdvertisingManager1",
                at: hci1
            )
            #expect(active?.integer == 0)
            let uuids = try await observer.property("UUIDs", of: "Adapter1", at: hci1)?.strings
            #expect(uuids?.contains("8e38140a-27be-4090-8955-4fc4b5698d1e") == false)
        }
    }

    @Test(arguments: Interruption.allCases)
    func `tells who waits for an answer that it is closing`(
        when interruption: Interruption
    ) async throws {
        try await check("tells that it is closing when \(interruption)") { world in
            let ball = try await world.ball("--exec", "sleep 1000")
            let asker = try world.asker("--json", "--timeout", world.seconds(30), "Who?")
            try await asker.line(with: #""event":"asked""#)
            ball.send(interruption.signal)
            let told = await asker.end()
            #expect(told.status == 75)
            #expect(told.output.contains(#""reason":"deviceOffline""#), "\(told)")
            #expect(await ball.end().status == interruption.status)
        }
    }

    @Test func `answers what it has accepted, when it is to finish`() async throws {
        try await check { world in
            let ball = try await world.ball("--exec", "sleep 1; echo Later.", "--finish", "30s")
            let asker = try world.asker("--json", "--timeout", world.seconds(30), "Who?")
            try await asker.line(with: #""event":"asked""#)
            ball.send(SIGTERM)
            let told = await asker.end()
            #expect(told.status == 0)
            #expect(told.output.contains(#""answer":"Later.""#), "\(told)")
            #expect(await ball.end().status == 143)
        }
    }

    @Test(arguments: Interruption.allCases)
    func `ends at once with a second signal, of the other kind, too`(
        when interruption: Interruption
    ) async throws {
        try await check("ends at once when \(interruption), and then otherwise") { world in
            let ball = try await world.ball("--exec", "sleep 60", "--finish", "1000s")
            let asker = try world.asker("--json", "--timeout", world.seconds(30), "Who?")
            try await asker.line(with: #""event":"asked""#)
            ball.send(interruption.signal)
            // It refuses what is asked once it has the first signal.
            _ = try await world.ask("--json", "--timeout", world.seconds(30), "And?")
            let other = Interruption.allCases.first { $0 != interruption } ?? interruption
            ball.send(other.signal)
            #expect(await ball.end().status == other.status)
            await asker.end()
        }
    }

    /// What has something to take back from bluetoothd, what it prints when it has begun, and whether it discovers then.
    private static let running = [
        ("eightball-ask --list", "scanning", true),
        ("eightball-answer --answer Yes.", "advertising", false),
        ("ble-socket listen --receive /tmp/received", "advertising", false),
        ("ble-socket listen --connections 2 --exec cat", "advertising", false),
        ("ble-socket connect --exec cat", "opening", true),
        ("bluechat listen --name Alice", "ready", true),
        ("dim-relay node --name alice", "ready", true),
    ]

    @Test(arguments: running)
    func `ends also while bluetoothd does not reply`(
        command: String,
        event: String,
        discovers: Bool
    ) async throws {
        try await check("\(command) ends while bluetoothd does not reply") { world in
            let words = command.split(separator: " ").map(String.init)
            let tool = try Tool(
                words[0],
                words.dropFirst() + ["--adapter", "hci1", "--json"],
                bus: world.bus.rawValue
            )
            try await tool.line(with: "\"\(event)\"")
            // A discovery that begins for a program that is gone never ends: bluetoothd is not told of its end any more.
            if discovers {
                let observer = try await world.observer()
                try await observer.wait(for: "Discovering", of: "Adapter1", at: Self.hci1) {
                    $0?.bool == true
                }
            }
            let begin = ContinuousClock.now
            try await world.pauseDaemon()
            // Long before a call of bluetoothd fails, after 60 s.
            let ended = try await withTimeLimit(.seconds(40), on: ContinuousClock()) {
                await tool.interrupt()
            }
            // The kernel ends a discovery by itself after 10.24 s. One that bluetoothd ends in that instant it shows for ever.
            if discovers, WorldKind.current == .real {
                try await Task.sleep(until: begin + .seconds(12), clock: .continuous)
            }
            try await world.resumeDaemon()
            #expect(ended?.status == 130, "\(String(describing: ended))")
        }
    }
}
