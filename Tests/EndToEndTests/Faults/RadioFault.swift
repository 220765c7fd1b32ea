import VirtualBlueZ

/// Something that goes wrong around a program that uses the radio by itself: hci0 is connected to what hci1
/// publishes, see ``PortScene``.
struct RadioFault: Sendable, CustomStringConvertible {
    typealias Act = @Sendable (RadioFaultScene) async throws -> Void

    let description: String
    /// What the central has to be told, in this order, beside the ends of what was begun.
    let central: [String]
    /// As much of the peripheral.
    let peripheral: [String]
    /// How many characteristics are published beside those that are used, so that finding them takes its time.
    let otherCharacteristics: Int
    /// Whether it takes so long that only Scripts/faults shows it.
    let isLong: Bool
    /// Why the real world can't show it.
    let virtualOnlyBecause: String?
    /// How long things take in a virtual world.
    let timing: Timing
    /// Begins what the fault meets, and lets it come.
    let make: Act
    let undo: Act

    init(
        _ description: String,
        central: [String] = [],
        peripheral: [String] = [],
        otherCharacteristics: Int = 0,
        isLong: Bool = false,
        virtualOnlyBecause reason: String? = nil,
        timing: Timing = .quick,
        make: @escaping Act,
        undo: @escaping Act = { _ in }
    ) {
        self.description = description
        self.central = central
        self.peripheral = peripheral
        self.otherCharacteristics = otherCharacteristics
        self.isLong = isLong
        virtualOnlyBecause = reason
        self.timing = timing
        self.make = make
        self.undo = undo
    }

    /// Those that this run is to show: all, those of a name, or one of each kind.
    static let wanted = known.filter { fault in
        guard !fault.isLong || FaultTests.isAll else { return false }
        let part = FaultTests.part
        return part.isEmpty
            ? !FaultTests.isQuick || quick.contains(fault.description)
            : fault.description.contains(part)
    }

    /// Its place among all.
    var number: Int { Self.known.firstIndex { $0.description == description } ?? 0 }

    private static let known =
        killed + requests + sockets + discoveries + serving + advertisements + unread

    private static let quick: Set = [
        "bluetoothd is killed, with sockets, streams and an advertisement open",
        "bluetoothd is killed before any service is known",
        "the link ends, with sockets and a stream open",
        "one of two publications is withdrawn",
        "another program takes the place of an advertisement that is paused",
        "nobody reads a socket for notifications",
    ]
}
