import BLE
import BLEDBus
import BLEDBusTesting
import Testing

@testable import BlueZ

@Suite("Without the right to it", .timeLimit(.minutes(10)))
struct RightsTests {
    private static func explains(_ error: any Error) -> Bool {
        let text = "\(error)"
        return isRadioError(.notPermitted)(error) && text.contains("group bluetooth")
            && text.contains("/etc/dbus-1/system.d/bluetooth.conf") && text.contains("usermod")
    }

    @Test(arguments: ["StartDiscovery", "Connect", "WriteValue", "RegisterApplication"])
    func `each call fails with what to do about it`(member: String) async throws {
        let world = try await World()
        let adapter = try await world.open()
        let link = member == "WriteValue" ? try await world.link(adapter) : nil
        var calls = await world.daemon.hold(member).makeAsyncIterator()
        let task = Task {
            switch member {
            case "StartDiscovery": _ = try await adapter.scan(ScanFilter())
            case "Connect": _ = try await adapter.link(to: World.ball)
            case "WriteValue": try await link?.write([1], to: World.question)
            default: _ = try await adapter.publish(responder: ScriptedResponder())
            }
        }
        await calls.next()?.fail(ErrorReply(.accessDenied, "Rejected send message"))
        await #expect { try await task.value } throws: { Self.explains($0) }
        await adapter.close()
    }

    @Test func `an adapter that rfkill blocks says so`() async throws {
        let world = try await World(isPowered: false)
        let adapter = try await world.open()
        try await world.daemon.set(
            ["PowerState": .string("off-blocked")],
            of: Adapter1.interface,
            at: ScriptedDaemon.adapter
        )
        await #expect { _ = try await adapter.scan(ScanFilter()) } throws: { error in
            isRadioError(.off)(error) && "\(error)".contains("rfkill unblock bluetooth")
        }
        await adapter.close()
    }

    @Test func `a call that rfkill stops says so`() {
        let reply = ErrorReply(BlueZError.blocked, "Blocked through rfkill")
        let error = BlueZError.translate(reply, for: .use, "scanning")
        #expect(isRadioError(.off)(error) && "\(error)".contains("rfkill unblock bluetooth"))
    }
}
