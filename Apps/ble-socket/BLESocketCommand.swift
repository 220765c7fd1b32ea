import ArgumentParser

@main
struct BLESocketCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ble-socket",
        abstract: "Carry bytes between two machines over Bluetooth LE.",
        discussion: """
            One machine listens, the other connects; then standard input goes to the other
            end, and what comes from there goes to standard output.

              ble-socket listen > copy            echo hello | ble-socket connect
              ble-socket listen --receive copy    ble-socket connect --send file
              ble-socket listen --pty             ble-socket connect --tty

            Two of these speak a stream to each other: nothing is lost or doubled,
            also when the connection is lost for up to a minute, and files are
            verified. Anything else with a UART service gets raw bytes, where the end
            of the connection is all that tells the end of a file: at the end of its
            input ble-socket stays, until the other end leaves or --linger is over.

            A stream is encrypted. Nobody who listens can read it; to be sure who the other
            end is, give both a --passphrase-file, or each the other's key:

              ble-socket key mine                 # makes it, and prints what others know it by
              ble-socket listen --key mine --peer-key THEIRS

            With --json each event is one JSON object a line, on standard output; on
            standard error where standard output is for what comes.
              {"event":"opening"}
              {"event":"advertising","adapter","service"}
              {"event":"connected","transport"[,"mtu"][,"peer-key"]}
              {"event":"sent","bytes"}
              {"event":"received","bytes","hex"}
              {"event":"progress","bytes"[,"total"]}
              {"event":"sent","bytes","milliseconds","verified"}
              {"event":"received","bytes","milliseconds","verified"}
              {"event":"handshake","device-id","flags"}
              {"event":"vehicle","seconds","latitude","longitude","speed","odometer"}
              {"event":"message","bytes","hex"}
              {"event":"malformed","code","message"}
              {"event":"exited","status"}
              {"event":"closed","why"}
              {"event":"error","code","message"[,"stage","status"]}
            An error has a "status" when the command ends, a "stage" when the radio took
            too long to open. The "status" of "exited" is how the command of --exec ended.
            With --connections each event of one has its number, "connection".

            Exit status:
              0    all is done, also where the command of --exec failed
              64   wrong usage
              65   a file has other bytes than it should, or another length than was offered
              66   a file cannot be read
              68   nobody listens
              69   no radio, no such adapter, or no bluetoothd
              70   our own fault
              73   a file, or standard output, cannot be written
              75   gone, timed out, or the system has no more files or memory
              76   the other end broke the protocol, or sent other than --bytes bytes
              77   not permitted
              130  interrupted by SIGINT, 143 by SIGTERM
            """,
        subcommands: [Listen.self, Connect.self, Speed.self, GO9.self, Key.self]
    )
}
