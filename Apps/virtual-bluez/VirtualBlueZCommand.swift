import ArgumentParser
import DBusTesting
import Glibc
import VirtualBlueZ

/// The command `virtual-bluez`.
@main
struct VirtualBlueZCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-bluez",
        abstract: "Run a Bluetooth daemon with virtual adapters, on a bus of its own.",
        usage: """
            virtual-bluez [--adapters N] [--bluez VERSION] [--mtu BYTES]
            virtual-bluez [--adapters N] [--bluez VERSION] [--mtu BYTES] -- COMMAND [ARGUMENT ...]
            """,
        discussion: """
            Programs that talk to org.bluez over D-Bus find adapters hci0, hci1 … there, which hear \
            each other. No Bluetooth hardware is needed, no rights, no bluetoothd.

            Without a command it prints the variable that such programs need, and runs until it is \
            interrupted. With a command it runs that with the variable set, and ends with its exit \
            status (128 + n for signal n, 127 if it is not found, 126 if it can't be run).

            Examples:

              virtual-bluez -- bluetoothctl list
              virtual-bluez --adapters 3 -- sh
              virtual-bluez --bluez 5.82 -- busctl tree org.bluez

            The same bus has levers for what goes wrong: the name VirtualBlueZ.World, object /world, \
            interface VirtualBlueZ.World1. They stay while org.bluez is dead. A call returns when all \
            has been told; what can't be done fails and says why.

              Kill()                   bluetoothd dies, as by SIGKILL
              Stop()                   it ends in order
              Start()                  it starts anew, with all adapters on
              Unplug(u), Plug(u)       an adapter goes, comes; 0 is hci0
              PowerOff(u), PowerOn(u)  an adapter is turned off, on
              Disconnect(u, u)         the link between two adapters is lost
              SetProximity(u, u, s)    they are immediate, near, far or outOfRange

              busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" call \
            VirtualBlueZ.World /world VirtualBlueZ.World1 Disconnect uu 0 1
            """
    )

    @Option(help: "How many adapters there are, 1 to 128.")
    var adapters = 2

    @Option(
        help: ArgumentHelp(
            "The release of BlueZ as which it behaves: \(releases). (default: 5.66)",
            valueName: "version"
        ),
        transform: { text in
            guard let version = BlueZVersion(text) else {
                throw ValidationError("It can be BlueZ \(Self.releases), not \(text).")
            }
            return version
        }
    )
    var bluez = BlueZVersion.v5_66

    private static let releases =
        BlueZVersion.all.map(\.description).joined(separator: ", ")

    @Option(
        help: ArgumentHelp(
            "The ATT MTU of all links, 23 to 517.",
            valueName: "bytes"
        )
    )
    var mtu = 517

    @Argument(parsing: .postTerminator, help: "What to run, and its arguments.")
    var command: [String] = []

    private static let variable = "DBUS_SYSTEM_BUS_ADDRESS"

    func validate() throws {
        guard (1...128).contains(adapters) else {
            throw ValidationError("There can be 1 to 128 adapters, not \(adapters).")
        }
        guard (23...517).contains(mtu) else {
            throw ValidationError("An MTU has 23 to 517 bytes, not \(mtu).")
        }
    }

    func run() async throws {
        let signals = Signals.stream()
        let bus = try PrivateBus()
        defer { bus.stop() }
        let daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: adapters,
            version: bluez,
            mtu: mtu
        )
        let world = try await VirtualWorld.open(for: daemon)
        let status = try await runUntilTheEnd(bus.address, signals)
        await world.close()
        if status != 0 { throw ExitCode(status) }
    }

    private func runUntilTheEnd(
        _ address: String,
        _ signals: AsyncStream<Signals.Signal>
    ) async throws -> Int32 {
        guard !command.isEmpty else {
            announce(address)
            for await signal in signals where signal.number != SIGCHLD { break }
            return 0
        }
        let child = try ChildProcess(command, setting: (Self.variable, address))
        for await signal in signals {
            if signal.number == SIGCHLD {
                if let status = child.exitStatus() { return status }
            } else if !signal.isFromTerminal {
                child.send(signal.number)
            }
        }
        return 0
    }

    private func announce(_ address: String) {
        print("\(Self.variable)=\(address)")
        fflush(nil)
        var standardError = StandardError()
        print(
            "Export this variable where your programs run. hci0 to hci\(adapters - 1) are there "
                + "until Ctrl-C.",
            to: &standardError
        )
    }
}
