import BLEDBus

/// What the tools run in: a bus with an org.bluez, adapters hci0 and up that hear each other, and
/// levers.
///
/// All that is not in ``VirtualWorld`` or ``RealWorld`` is the same for both.
protocol World: Sendable {
    /// The bus that is the system's for the tools.
    var bus: BusAddress { get }

    /// Turns an adapter off.
    func powerOff(_ adapter: Int) async throws

    /// Turns an adapter on.
    func powerOn(_ adapter: Int) async throws

    /// Blocks all adapters, as by rfkill.
    func block() async throws

    /// Lets them be turned on again; bluetoothd does so.
    func unblock() async throws

    /// Takes all adapters away.
    func unplug() async throws

    /// Brings them back.
    func plug() async throws

    /// Lets one adapter end its link with another.
    func endLink(from adapter: Int, to other: Int) async throws

    /// Ends bluetoothd at once, as by a crash.
    func killDaemon() async throws

    /// Ends bluetoothd in order.
    func stopDaemon() async throws

    /// Starts bluetoothd, which has ended.
    func startDaemon() async throws

    /// Stops bluetoothd's process, so that it answers nothing.
    func pauseDaemon() async throws

    /// Lets it go on.
    func resumeDaemon() async throws

    /// Has a new bluetoothd in place of one that dies of what was done to it, if it does.
    func replaceDaemon() async throws

    /// Sees that a check has left nothing behind, and puts back what it took away.
    func end() async throws

    /// Frees what a check that failed may have left stuck, so that it fails no other one.
    func recover() async throws
}

extension World {
    /// Does nothing: a world of one check alone can fail no other.
    func recover() async {}

    /// Starts one of the package's executables.
    func tool(_ name: String, _ arguments: String...) throws -> Tool {
        try Tool(name, arguments, bus: bus.rawValue)
    }

    /// A byte socket that listens on hci1.
    func socketListener(_ options: String...) throws -> Tool {
        try Tool("ble-socket", ["listen", "--adapter", "hci1"] + options, bus: bus.rawValue)
    }

    /// A running ball, once it can be found.
    func ball(on adapter: Int = 1, _ arguments: String...) async throws -> Tool {
        let options = ["--adapter", "hci\(adapter)", "--json"]
        let ball = try Tool("eightball-answer", options + arguments, bus: bus.rawValue)
        try await ball.line(with: #""event":"advertising""#)
        return ball
    }

    /// An asker with hci0, as patient as the world needs it.
    func asker(_ arguments: String...) throws -> Tool {
        try asker(arguments)
    }

    /// Asks from hci0, and waits for the end.
    func ask(_ arguments: String...) async throws -> Tool.Outcome {
        try await ask(arguments)
    }

    /// Asks from hci0, and waits for the end.
    func ask(_ arguments: [String]) async throws -> Tool.Outcome {
        try await asker(arguments).end()
    }

    private func asker(_ arguments: [String]) throws -> Tool {
        let patience = ["--scan-for", seconds(10), "--timeout", seconds(10)]
        // Of an option that is given twice the last one counts.
        let options = ["--adapter", "hci0"] + patience
        return try Tool("eightball-ask", options + arguments, bus: bus.rawValue)
    }

    /// A time for an option, longer where everything takes longer.
    func seconds(_ seconds: Double) -> String {
        "\(seconds * Double(WorldKind.current.slowness))"
    }

    /// The object of an adapter's peer, which is another adapter.
    func device(_ peer: Int, of adapter: Int = 0) throws -> ObjectPath {
        precondition(peer < 10, "hci\(peer)")
        return try ObjectPath("/org/bluez/hci\(adapter)/dev_00_AA_01_0\(peer)_00_0\(peer)")
    }

    /// Starts bluetoothd if it has died.
    ///
    /// - Returns: whether it had.
    func reviveDaemon() async throws -> Bool {
        guard try await observer().owner(of: "org.bluez") == nil else { return false }
        try await startDaemon()
        return true
    }

    /// A client of the bus that looks on.
    func observer() async throws -> Connection {
        try await .open(bus)
    }

    /// Waits until nobody advertises nor discovers.
    func expectQuiet() async throws {
        let observer = try await observer()
        for adapter in try await observer.objects(with: "Adapter1") {
            try await observer.wait(for: "Discovering", of: "Adapter1", at: adapter) {
                $0?.bool == false
            }
            try await observer.wait(
                for: "ActiveInstances",
                of: "LEAdvertisingManager1",
                at: adapter
            ) { $0?.integer == 0 }
        }
    }
}
