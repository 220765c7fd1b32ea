import ArgumentParser
import BLEDBusTesting
import Glibc
import VirtualBlueZ

/// The command `virtual-bluez`.
@main
struct VirtualBlueZCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-bluez",
        abstract: "Run a Bluetooth daemon with virtual adapters, on a bus of its own.",
        usage: """
            virtual-bluez [OPTIONS]
            virtual-bluez [OPTIONS] -- COMMAND [ARGUMENT ...]
            """,
        discussion: """
            Programs that talk to org.bluez over D-Bus find adapters hci0, hci1 … there, which hear \
            each other. No Bluetooth hardware is needed, no rights, no bluetoothd.

            Without a command it prints the variable that such programs need, and runs until it is \
            interrupted; where that cannot be written, it ends with status 73. With a command it runs \
            that with the variable set, and ends with its exit status (128 + n for signal n, 127 \
            if it is not found, 126 if it can't be run).

            Examples:

              virtual-bluez -- bluetoothctl list
              virtual-bluez --adapters 3 -- sh
              virtual-bluez --bluez 5.82 -- busctl tree org.bluez

            The same bus has levers for what goes wrong: the name VirtualBlueZ.World, object /world, \
            interface VirtualBlueZ.World1. They stay while org.bluez is dead. A call returns when all \
            has been told; what can't be done fails and says why. Adapters are numbers, 0 for hci0; \
            a method of BlueZ is org.bluez.Device1.Connect; 0 times are all there will be.

            \(levers)

              busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" call \
            VirtualBlueZ.World /world VirtualBlueZ.World1 Disconnect uu 0 1

            The same can be said beforehand, each lever at its time (ms, s, m, h) from the start: \
            with --at, as often as is needed, or in a file for --faults, a line each, where # begins \
            a remark. What has blanks stands in double quotes. A step that can't be done is told, and \
            passed over. Chance follows --seed: the same seed, faults and programs make the same run. \
            The seed is printed when it is given and when a step is SetLinkQuality; the property Seed \
            of VirtualBlueZ.World1 always tells it.

              virtual-bluez --at 5s "Disconnect 0 1" --at 1.5m Kill --at 2m Start -- COMMAND
              virtual-bluez --seed 7 --at 0s "SetLinkQuality 0 1 0.3 20" -- COMMAND
            """
    )

    private static let levers = VirtualWorld.levers.map { "  \($0.usage)\n    \($0.text)" }
        .joined(separator: "\n")

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

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "A lever and when it is pulled, as 5s \"Disconnect 0 1\"; as often as is needed.",
            valueName: "time lever"
        )
    )
    var at: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file, or a pipe, with such times and levers, a line each.",
            valueName: "file"
        )
    )
    var faults: String?

    @Option(
        help: ArgumentHelp(
            "What chance follows, 0 to 2⁶⁴ − 1. (default: one of its own)",
            valueName: "number"
        )
    )
    var seed: UInt64?

    @Flag(help: "Let time stand still but for the lever PassTime.")
    var manualClock = false

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

    /// What is to go wrong, from the file and from the options; a pipe can be read only once.
    private func script() throws -> FaultScript {
        do {
            var script =
                try faults.map { try FaultScript(ScriptFile.text(of: $0)) } ?? FaultScript()
            var words = at[...]
            while let time = words.popFirst() {
                let lever = words.prefix { !FaultScript.isTime($0) }
                words = words.dropFirst(lever.count)
                try script.add(lever.joined(separator: " "), at: time)
            }
            return script
        } catch let error as FaultScriptError {
            throw ValidationError("\(error)")
        }
    }

    func run() async throws {
        Self.openClosedFiles()
        // Before signals are caught: whoever writes into a pipe may never end.
        let script = try script()
        let signals = Signals.stream()
        let bus = try PrivateBus()
        defer { bus.stop() }
        let daemon = try await VirtualDaemon.start(
            on: bus.address,
            adapters: adapters,
            version: bluez,
            mtu: mtu,
            clock: manualClock ? ManualClock() : ContinuousClock(),
            seed: seed
        )
        if script.isRandom || seed != nil { Self.tell("the seed is \(daemon.seed)") }
        let world = try await VirtualWorld.open(for: daemon)
        await world.run(script) { step, error in Self.tell("\(step): \(error)") }
        let status = try await runUntilTheEnd(bus.address, signals)
        await world.close()
        if status != 0 { throw ExitCode(status) }
    }

    private func runUntilTheEnd(
        _ address: String,
        _ signals: AsyncStream<Signals.Signal>
    ) async throws -> Int32 {
        guard !command.isEmpty else {
            try announce(address)
            for await signal in signals where signal.number != SIGCHLD { break }
            return 0
        }
        // What came before there is a command, the terminal sends to this program alone.
        Signals.mark()
        for await signal in signals where signal.number != SIGCHLD {
            guard signal.number == 0 else { return 128 + signal.number }
            break
        }
        let child = try ChildProcess(command, setting: (Self.variable, address))
        // What came until now, too: a command that had begun gets it twice, before it can care.
        Signals.mark()
        var hasBegun = false
        for await signal in signals {
            switch signal.number {
            case 0: hasBegun = true
            case SIGCHLD:
                if let status = child.exitStatus() { return status }
            default:
                if !hasBegun || !signal.isFromTerminal { child.send(signal.number) }
            }
        }
        return 0
    }

    private static func tell(_ text: String) {
        var standardError = StandardError()
        print("virtual-bluez: \(text)", to: &standardError)
    }

    /// Opens what this program was started without, so that it cannot be written: what is opened next would have its
    /// number, and get what is printed.
    private static func openClosedFiles() {
        for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(file, F_GETFD) < 0 {
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Prints the address.
    ///
    /// - Throws: `ExitCode` 73 when it cannot be written: nobody would know it.
    private func announce(_ address: String) throws {
        // Who reads no more is an error here, and not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        print("\(Self.variable)=\(address)")
        guard fflush(nil) == 0 else {
            Self.tell("standard output: \(String(cString: strerror(errno)))")
            throw ExitCode(73)
        }
        var standardError = StandardError()
        print(
            "Export this variable where your programs run. hci0 to hci\(adapters - 1) are there "
                + "until Ctrl-C.",
            to: &standardError
        )
    }
}
