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
            virtual-bluez [--adapters N]
            virtual-bluez [--adapters N] -- COMMAND [ARGUMENT ...]
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
            """
    )

    @Option(help: "How many adapters there are, 1 to 16.")
    var adapters = 2

    @Argument(parsing: .postTerminator, help: "What to run, and its arguments.")
    var command: [String] = []

    private static let variable = "DBUS_SYSTEM_BUS_ADDRESS"

    func validate() throws {
        guard (1...16).contains(adapters) else {
            throw ValidationError("There can be 1 to 16 adapters, not \(adapters).")
        }
    }

    func run() async throws {
        let signals = Signals.stream()
        let bus = try PrivateBus()
        defer { bus.stop() }
        let daemon = try await VirtualDaemon.start(on: bus.address, adapters: adapters)
        let status = try await runUntilTheEnd(bus.address, signals)
        await daemon.stop()
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
