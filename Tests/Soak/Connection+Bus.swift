import BLEDBus
import Glibc

/// What the bus's daemon tells of itself.
extension Connection {
    /// The process of the bus's daemon.
    func busProcess() async throws -> pid_t {
        let name = "org.freedesktop.DBus"
        let reply = try await callBus(name, "GetConnectionUnixProcessID", [.string(name)])
        return pid_t(reply.first?.integer ?? 0)
    }

    /// How many match rules all clients together have.
    ///
    /// D-Bus: `org.freedesktop.DBus.Debug.Stats.GetAllMatchRules`.
    func matchRuleCount() async throws -> Int {
        let reply = try await callBus("org.freedesktop.DBus.Debug.Stats", "GetAllMatchRules")
        let clients = reply.first?.entries ?? []
        return clients.map { $0.value.strings?.count ?? 0 }.reduce(0, +)
    }

    /// How many objects bluetoothd shows; 0 when there is none.
    func objectCount() async throws -> Int {
        let call = try Message.methodCall(
            to: "org.bluez",
            at: "/",
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects"
        )
        do {
            return try await self.call(call).body().first?.entries?.count ?? 0
        } catch is ErrorReply {
            return 0
        }
    }

    private func callBus(
        _ interface: String,
        _ member: String,
        _ body: [Value] = []
    ) async throws -> [Value] {
        let call = try Message.methodCall(
            to: "org.freedesktop.DBus",
            at: "/org/freedesktop/DBus",
            interface,
            member,
            body
        )
        return try await self.call(call).body()
    }
}
