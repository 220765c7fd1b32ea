import Foundation
import Testing

@Suite(
    "virtual-bluez",
    .enabled(if: WorldKind.current == .virtual, "it is a virtual world itself"),
    .timeLimit(.oneCheck)
)
struct VirtualBlueZCommandTests {
    private func run(_ arguments: String...) async throws -> Tool.Outcome {
        try await Tool("virtual-bluez", arguments, bus: nil).end()
    }

    @Test(arguments: ["5.66", "5.82", "5.87"])
    func `lets two commands talk, and ends with the status of the last`(
        release: String
    ) async throws {
        let script = """
            eightball-answer --adapter hci1 &
            eightball-ask --adapter hci0 --json "Is it so?"
            """
        let outcome = try await run("--bluez", release, "--", "bash", "-c", script)
        #expect(outcome.status == 0)
        let steps = ["sighting", "connected", "asked", "answered"]
        #expect(outcome.eventNames.filter(steps.contains) == steps)
    }

    @Test(
        arguments: [
            (["true"], Int32(0)), (["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137),
            (["/nonexistent"], 127), (["/etc"], 126),
        ] as [([String], Int32)]
    )
    func `ends as its command does`(command: [String], status: Int32) async throws {
        let outcome = try await Tool("virtual-bluez", ["--"] + command, bus: nil).end()
        #expect(outcome.status == status)
    }

    @Test(arguments: [
        ["--adapters", "0"], ["--adapters", "129"], ["--nonsense"], ["word"], ["--bluez", "5.70"],
        ["--mtu", "22"],
    ])
    func `refuses a wrong command line`(arguments: [String]) async throws {
        let outcome = try await Tool("virtual-bluez", arguments, bus: nil).end()
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Usage:"))
    }

    @Test func `tells its address and runs until it is interrupted`() async throws {
        let daemon = try Tool("virtual-bluez", ["--adapters", "3"], bus: nil)
        let line = try await daemon.line(with: "DBUS_SYSTEM_BUS_ADDRESS=")
        let address = String(line.dropFirst("DBUS_SYSTEM_BUS_ADDRESS=".count))
        let list = try await Tool(
            URL(fileURLWithPath: "/usr/bin/bluetoothctl"),
            ["list"],
            bus: address
        ).end()
        #expect(list.lines.count == 3)
        daemon.send(SIGTERM)
        _ = await daemon.end()
        let ask = try await Tool("eightball-ask", ["Anybody?"], bus: address).end()
        #expect(ask.status == 69)
    }

    /// 5 is a pipe whose reader has gone.
    @Test(arguments: ["> /dev/full", ">&-", "<&- >&-", ">&5"])
    func `ends when its address cannot be told`(redirection: String) async throws {
        let script = """
            pipe=$(mktemp -u)
            mkfifo "$pipe"
            exec 4<> "$pipe" 5> "$pipe" 4<&-
            rm "$pipe"
            { virtual-bluez; echo status $? >&3; } 3>&2 \(redirection)
            """
        let shell = URL(fileURLWithPath: "/bin/sh")
        let outcome = try await Tool(shell, ["-c", script], bus: nil).end()
        #expect(outcome.errors.contains("virtual-bluez: standard output: "), "\(outcome)")
        #expect(outcome.errors.contains("status 73"), "\(outcome)")
    }

    @Test func `passes a signal on to its command`() async throws {
        let tool = try Tool(
            "virtual-bluez",
            ["--", "sh", "-c", "echo ready; exec sleep 60"],
            bus: nil
        )
        try await tool.line(with: "ready")
        tool.send(SIGTERM)
        #expect(await tool.end().status == 143)
    }

    /// The signal comes while the bus is started; the command is not there, which would be told by 127.
    @Test func `starts no command when it was interrupted before`() async throws {
        let script = """
            folder=$(mktemp -d)
            cat > "$folder/dbus-daemon" <<'END'
            #!/bin/sh
            kill -TERM "$PROGRAM"
            PATH=${PATH#*:}
            exec dbus-daemon "$@"
            END
            chmod +x "$folder/dbus-daemon"
            PATH="$folder:$PATH" sh -c 'export PROGRAM=$$; exec virtual-bluez -- /nonexistent'
            status=$?
            rm -r "$folder"
            exit $status
            """
        let shell = URL(fileURLWithPath: "/bin/sh")
        let outcome = try await Tool(shell, ["-c", script], bus: nil).end()
        #expect(outcome.status == 143, "\(outcome)")
        #expect(!outcome.errors.contains("/nonexistent"), "\(outcome)")
    }

    /// Runs a script with `pull LEVER [SIGNATURE ARGUMENT …]`, and tells what it printed.
    private func lines(of script: String) async throws -> [String] {
        let functions = """
            pull() {
                busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                    call VirtualBlueZ.World /world VirtualBlueZ.World1 "$@" 2>&1 \
                    && echo "$1 is done"
            }
            get() {
                busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                    get-property org.bluez "$1" "$2" "$3" 2>&1
            }

            """
        let outcome = try await run("--", "bash", "-c", functions + script)
        return outcome.lines
    }

    @Test func `has levers that outlive the daemon`() async throws {
        let script = """
            pull PowerOff u 1
            get /org/bluez/hci1 org.bluez.Adapter1 Powered
            pull Kill
            pull Kill
            get /org/bluez/hci1 org.bluez.Adapter1 Powered | cut -c 1-20
            pull Start
            get /org/bluez/hci1 org.bluez.Adapter1 Powered
            pull Unplug u 1
            get /org/bluez/hci1 org.bluez.Adapter1 Powered | cut -c 1-20
            """
        #expect(
            try await lines(of: script) == [
                "PowerOff is done", "b false", "Kill is done",
                "Call failed: bluetoothd does not run", "Failed to get proper",
                "Start is done", "b true", "Unplug is done", "Failed to get proper",
            ]
        )
    }

    @Test func `pulls levers at their times, tells the seed, and passes over what can't be`()
        async throws
    {
        let script = """
            busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                get-property org.bluez /org/bluez/hci1 org.bluez.Adapter1 Powered
            pass() {
                busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                    call VirtualBlueZ.World /world VirtualBlueZ.World1 PassTime u "$1"
            }
            pass 86400000
            busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                get-property org.bluez /org/bluez/hci1 org.bluez.Adapter1 Powered
            """
        let arguments = [
            "--manual-clock", "--seed", "7", "--at", "0s", "PowerOff 1", "--at", "1h", "PowerOff",
            "1",
            "--at", "2h", "PowerOn 1", "--", "bash", "-c", script,
        ]
        let outcome = try await Tool("virtual-bluez", arguments, bus: nil).end()
        #expect(outcome.lines == ["b false", "b true"])
        let refusal = "1h PowerOff 1: VirtualBlueZ.Error.Failed \"hci1 is off already\""
        #expect(
            outcome.errors.split(separator: "\n") == [
                "virtual-bluez: the seed is 7", "virtual-bluez: \(refusal)",
            ]
        )
    }

    @Test func `tells a seed of its own to who asks, as its help says`() async throws {
        let script = """
            busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                get-property VirtualBlueZ.World /world VirtualBlueZ.World1 Seed
            """
        let outcome = try await run("--", "bash", "-c", script)
        #expect(outcome.lines.first?.hasPrefix("t ") == true)
        #expect(outcome.errors == "")
        // Whatever the width of its lines.
        let help = try await run("--help").output.split(whereSeparator: \.isWhitespace)
        let text = help.joined(separator: " ")
        #expect(text.contains("(default: one of its own)"))
        #expect(text.contains("the property Seed of VirtualBlueZ.World1 always tells it"))
    }

    @Test func `reads faults from a pipe`() async throws {
        let script = """
            power='busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" \
                get-property org.bluez /org/bluez/hci1 org.bluez.Adapter1 Powered'
            virtual-bluez --faults <(echo "0s PowerOff 1") -- sh -c "$power"
            echo "0s PowerOff 1" | virtual-bluez --faults /dev/stdin -- sh -c "$power"
            """
        let bash = URL(fileURLWithPath: "/bin/bash")
        let outcome = try await Tool(bash, ["-c", script], bus: nil).end()
        #expect(outcome.lines == ["b false", "b false"])
    }

    @Test(arguments: [
        (["--at", "5x", "Kill"], "\"5x\" is no time, as 250ms, 5s, 1.5m and 2h are"),
        (["--at", "5s"], "there is no lever behind 5s"),
        (["--at", "5s", "Plug two"], "\"two\" is no adapter for Plug(u adapter)"),
        (["--faults", "/nonexistent"], "/nonexistent: No such file or directory"),
        (["--seed", "1.5"], "The value '1.5' is invalid for '--seed <number>'"),
    ])
    func `refuses faults that can't be`(arguments: [String], message: String) async throws {
        let outcome = try await Tool("virtual-bluez", arguments, bus: nil).end()
        #expect(outcome.status == 64)
        #expect(outcome.errors.split(separator: "\n").first.map(String.init) == "Error: \(message)")
    }

    @Test(arguments: ["5.66", "5.82", "5.87"])
    func `is the release that is named, also when it was killed`(release: String) async throws {
        let functions = """
            say() {
                busctl --address="$DBUS_SYSTEM_BUS_ADDRESS" "$@"
            }
            name() {
                say get-property org.bluez /org/bluez/hci0 org.bluez.Adapter1 Name
            }

            """
        let script = """
            name
            say call VirtualBlueZ.World /world VirtualBlueZ.World1 Kill
            say call VirtualBlueZ.World /world VirtualBlueZ.World1 Start
            name
            """
        let arguments = ["--bluez", release, "--", "bash", "-c", functions + script]
        let outcome = try await Tool("virtual-bluez", arguments, bus: nil).end()
        #expect(outcome.lines == ["s \"BlueZ \(release)\"", "s \"BlueZ \(release)\""])
    }

    @Test func `levers take the adapter from a ball, and give it back`() async throws {
        let script = """
            while read -r line; do
                case "$line" in
                    *'"advertising"'*) pull Unplug u 1 ;;
                    *'"absent"'*) pull Plug u 1 ;;
                    *'"on"'*) echo "it is back"; break ;;
                esac
            done < <(eightball-answer --adapter hci1 --json)
            """
        #expect(
            try await lines(of: script) == ["Unplug is done", "Plug is done", "it is back"]
        )
    }
}
