import BLEDBus
import BLEDBusTesting
import Dispatch
import Foundation
import Testing

/// Asked by `dbus-send` and `busctl`, which share no code with this package.
@Suite("Exported objects", .timeLimit(.minutes(10)))
struct ObjectServerTests {
    private let bus: PrivateBus
    private let server: Connection

    init() async throws {
        bus = try await PrivateBus.start()
        server = try await .open(BusAddress(bus.address))
        _ = try await EchoService(on: server)
        try await server.requestName("test.Server")
    }

    private func run(_ command: String, _ arguments: String...) async throws -> String {
        try await run(command, list: arguments)
    }

    private func send(_ path: String, _ arguments: String...) async throws -> String {
        let words = ["--bus=\(bus.address)", "--print-reply=literal", "--dest=test.Server", path]
        return try await run("dbus-send", list: words + arguments)
    }

    /// The output of a command, errors behind it.
    private func run(_ command: String, list: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [command] + list
        let output = Foundation.Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        return try await withCheckedThrowingContinuation { continuation in
            // Not on a thread of the pool, of which there may be no more than two.
            DispatchQueue(label: command).async {
                continuation.resume(
                    with: Result {
                        let data = try output.fileHandleForReading.readToEnd() ?? Data()
                        return String(decoding: data, as: UTF8.self)
                    }
                )
            }
        }
    }

    @Test func `reply to calls, reads and writes`() async throws {
        let properties = "org.freedesktop.DBus.Properties"
        #expect(
            try await send("/test", "\(properties).Get", "string:test.Echo", "string:Answer")
                .contains("uint16 42")
        )
        #expect(
            try await send(
                "/test",
                "\(properties).Set",
                "string:test.Echo",
                "string:Answer",
                "variant:uint16:43"
            ).trimmingCharacters(in: .whitespacesAndNewlines).isEmpty
        )
        #expect(
            try await send("/test", "\(properties).GetAll", "string:test.Echo")
                .contains("uint16 43")
        )
        #expect(await server.value("Answer", of: "test.Echo", at: "/test") == .uint16(43))
    }

    @Test(arguments: [
        (
            "/test", ["org.freedesktop.DBus.Properties.Get", "string:test.Echo", "string:X"],
            "No such property 'X'"
        ),
        (
            "/test", ["org.freedesktop.DBus.Properties.GetAll", "string:a.b"],
            "No such interface 'a.b'"
        ),
        (
            "/test",
            [
                "org.freedesktop.DBus.Properties.Set", "string:test.Echo", "string:Fixed",
                "variant:string:x",
            ], "Property 'Fixed' is not writable"
        ),
        (
            "/test",
            [
                "org.freedesktop.DBus.Properties.Set", "string:test.Echo", "string:Answer",
                "variant:string:x",
            ], "Invalid signature for 'Answer'"
        ),
        (
            "/test", ["test.Echo.Nothing"],
            #"Method "Nothing" with signature "" on interface "test.Echo" doesn't exist"#
        ),
        ("/other", ["test.Echo.Echo"], "UnknownObject"),
        ("/test", ["org.freedesktop.DBus.ObjectManager.GetManagedObjects"], "UnknownMethod"),
    ])
    func `refuse as libdbus and GLib do`(
        path: String,
        words: [String],
        text: String
    ) async throws {
        let output = try await run(
            "dbus-send",
            list: ["--bus=\(bus.address)", "--print-reply", "--dest=test.Server", path] + words
        )
        #expect(output.contains(text))
    }

    @Test func `are listed by their manager, and told when they come and go`() async throws {
        let objects = try await send("/", "org.freedesktop.DBus.ObjectManager.GetManagedObjects")
        #expect(objects.contains("/test") && objects.contains("as it is"))
        let client = try await Connection.open(BusAddress(bus.address))
        let (signals, continuation) = AsyncStream.makeStream(of: Message.self)
        let rule = MatchRule(interface: "org.freedesktop.DBus.ObjectManager")
        try await client.subscribe(to: rule) { continuation.yield($0) }
        try await server.export([ExportedInterface("test.New")], at: "/test/new")
        try await server.unexport("/test/new")
        var iterator = signals.makeAsyncIterator()
        let added = try #require(await iterator.next())
        #expect(added.member == "InterfacesAdded")
        #expect(try added.body().first == .objectPath("/test/new"))
        let removed = try #require(await iterator.next())
        #expect(removed.member == "InterfacesRemoved")
        #expect(try removed.body().last?.strings?.first == "test.New")
    }

    @Test func `show their tree to busctl`() async throws {
        let address = "--address=\(bus.address)"
        let tree = try await run("busctl", address, "tree", "--list", "test.Server")
        #expect(tree.split(separator: "\n") == ["/", "/test"])
        let members = try await run("busctl", address, "introspect", "test.Server", "/test")
        #expect(members.contains(".Echo") && members.contains(".Answer"))
        #expect(members.contains("org.freedesktop.DBus.Peer") == false)
        let ping = try await run(
            "busctl",
            address,
            "call",
            "test.Server",
            "/test",
            "org.freedesktop.DBus.Peer",
            "Ping"
        )
        #expect(ping.isEmpty)
        let machine = try await send("/test", "org.freedesktop.DBus.Peer.GetMachineId")
        #expect(machine.trimmingCharacters(in: .whitespacesAndNewlines).count == 32)
    }
}
