import BLEDBus
import BLELocking
import Foundation
import Testing

/// The system's bus with a real bluetoothd on virtual controllers, in a guest of Scripts/bluez-vm.
///
/// Its levers end and start bluetoothd and take the controllers; the rest is done by D-Bus.
final class RealWorld: World {
    /// What a check has taken away, to be put back.
    private struct Absences {
        var daemon = false
        var adapters = false
    }

    private static let levers = URL(fileURLWithPath: "/run/levers")

    let bus = BusAddress.system
    private let connection: Connection
    /// Which bluetoothd: its unique name on the bus.
    private let daemon: Locked<String>
    private let absences = Locked(Absences())

    /// Makes the world as new: no device is known, all adapters are on.
    init(adapters: Int) async throws {
        connection = try await Connection.open(bus)
        if try await connection.owner(of: "org.bluez") == nil {
            let lastWords = await Self.lastWords()
            Issue.record("bluetoothd has ended since the check before: \(lastWords)")
            try await Self.pull("start")
        }
        daemon = Locked(try #require(try await connection.owner(of: "org.bluez")))
        let all = try await connection.objects(with: "Adapter1")
        try #require(all.count >= adapters, "\(all)")
        let devices = try await connection.objects(with: "Device1")
        for adapter in all {
            try await connection.set("Powered", of: "Adapter1", at: adapter, to: .bool(true))
            for device in devices where device.rawValue.hasPrefix(adapter.rawValue + "/") {
                try await forget(device, at: adapter)
            }
        }
    }

    func powerOff(_ adapter: Int) async throws {
        try await setPower(of: adapter, false)
    }

    func powerOn(_ adapter: Int) async throws {
        try await setPower(of: adapter, true)
    }

    private func setPower(of adapter: Int, _ isOn: Bool) async throws {
        let path = try ObjectPath("/org/bluez/hci\(adapter)")
        try await connection.set("Powered", of: "Adapter1", at: path, to: .bool(isOn))
    }

    func block() async throws {
        try await Self.pull("block")
    }

    func unblock() async throws {
        try await Self.pull("unblock")
    }

    func unplug() async throws {
        absences.withLock { $0.adapters = true }
        try await Self.pull("unplug")
    }

    func plug() async throws {
        try await Self.pull("plug")
        absences.withLock { $0.adapters = false }
    }

    func endLink(from adapter: Int, to other: Int) async throws {
        let device = try device(other, of: adapter)
        try await connection.call(device, "Device1", "Disconnect")
    }

    func killDaemon() async throws {
        absences.withLock { $0.daemon = true }
        try await Self.pull("kill")
    }

    func stopDaemon() async throws {
        absences.withLock { $0.daemon = true }
        try await Self.pull("stop")
    }

    func startDaemon() async throws {
        try await Self.pull("start")
        let owner = try #require(try await connection.owner(of: "org.bluez"))
        daemon.withLock { $0 = owner }
        absences.withLock { $0.daemon = false }
    }

    func pauseDaemon() async throws {
        try await Self.pull("pause")
    }

    func resumeDaemon() async throws {
        try await Self.pull("resume")
    }

    func replaceDaemon() async throws {
        try await killDaemon()
    }

    func end() async throws {
        let absences = absences.withLock { $0 }
        if absences.daemon {
            // The kernel goes on with a scan of a daemon that was killed, for 10 s.
            if !absences.adapters { try await Self.pull("unplug") }
            try await Self.pull("plug")
            try await Self.pull("start")
        } else {
            if absences.adapters { try await Self.pull("plug") }
            let owner = try await connection.owner(of: "org.bluez")
            let lastWords = owner == nil ? await Self.lastWords() : ""
            #expect(owner == daemon.withLock { $0 }, "bluetoothd has ended: \(lastWords)")
            if owner == nil { try await Self.pull("start") }
        }
        try await expectQuiet()
    }

    /// Turns all adapters off and on: one that makes no connection any more does again.
    ///
    /// Where that fails they are plugged in anew, under a new bluetoothd.
    func recover() async throws {
        do {
            for adapter in try await connection.objects(with: "Adapter1") {
                for isOn in [false, true] {
                    try await connection.set(
                        "Powered",
                        of: "Adapter1",
                        at: adapter,
                        to: .bool(isOn)
                    )
                }
            }
        } catch {
            print("the adapters cannot be turned off and on: \(error); they are plugged in anew")
            for lever in ["kill", "unplug", "plug", "start"] { try await Self.pull(lever) }
        }
    }

    /// Removes a device, unless it goes by itself meanwhile.
    private func forget(_ device: ObjectPath, at adapter: ObjectPath) async throws {
        do {
            try await connection.call(adapter, "Adapter1", "RemoveDevice", [.objectPath(device)])
        } catch let error as ErrorReply
            where error.name.rawValue == "org.bluez.Error.DoesNotExist"
        {
            return
        }
    }

    /// What bluetoothd printed last, and what the kernel tells of its end.
    private static func lastWords() async -> String {
        let log = try? String(contentsOfFile: "/run/logs/bluetoothd.txt", encoding: .utf8)
        let printed = log?.split(separator: "\n").suffix(3).map(String.init) ?? []
        let dmesg = URL(fileURLWithPath: "/usr/bin/dmesg")
        let kernel = try? await Tool(dmesg, [], bus: nil).end().lines
        let told = kernel?.filter { $0.contains("bluetoothd") }.suffix(2) ?? []
        return (printed + told).joined(separator: "\n")
    }

    /// Pulls a lever, which returns when it is done.
    private static func pull(_ lever: String) async throws {
        let outcome = try await Tool(levers.appendingPathComponent(lever), [], bus: nil).end()
        try #require(outcome.status == 0, "\(lever): \(outcome)")
    }
}
